// GK_EXPORT marks what libgraphkiln.so shows; everything else is hidden.
//
// Public names live in the inline namespace gk::api: a program writes
// gk::Tensor, the library links gk::api::Tensor, and the classes inside the
// library that bear the same names never meet them.
#ifndef GRAPHKILN_EXPORT_H_
#define GRAPHKILN_EXPORT_H_

// A missing header is the one error that compilers stop at.
#if !defined(__cpp_concepts) || __cplusplus < 202002L
#error "graphkiln needs C++20: -std=c++20, or link graphkiln::graphkiln"
#include <graphkiln needs C++20>
#endif

// GRAPHKILN_RUNTIME_ONLY: the small library (preset runtime), which loads
// models and runs them; what it lacks is not declared.

#if defined(_WIN32) && defined(GRAPHKILN_BUILDING)
#define GK_EXPORT __declspec(dllexport)
#elif defined(_WIN32)
#define GK_EXPORT __declspec(dllimport)
#else
#define GK_EXPORT __attribute__((visibility("default")))
#endif

// Inside the library the namespace is not inline.
#ifdef GRAPHKILN_BUILDING
#define GK_API_NAMESPACE namespace api
#else
#define GK_API_NAMESPACE inline namespace api
#endif

#endif  // GRAPHKILN_EXPORT_H_
