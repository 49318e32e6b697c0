#include "python/src/binding/throw_status.h"

#include <new>
#include <stdexcept>
#include <system_error>

namespace gk::py {

void AddExceptionTranslator() {
  nanobind::register_exception_translator(
      [](const std::exception_ptr& p, void*) {
        try {
          std::rethrow_exception(p);
        } catch (const Error&) {
          RaiseCaught();
        } catch (const std::bad_alloc&) {
          RaiseCaught();
        } catch (const std::length_error&) {
          RaiseCaught();
        } catch (const std::system_error&) {
          RaiseCaught();
        }
      });
}

}  // namespace gk::py
