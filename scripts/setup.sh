# Set-up shared by scripts/demo and scripts/test; sourced, not run.
#
# Installs missing Debian packages, makes .venv, builds build/release and shows
# .venv the package there. Steps that take long leave a stamp named by a hash of
# what they depend on, so that a second run skips them.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
GK_ROOT=$PWD
GK_LOGS=$GK_ROOT/build/logs
mkdir -p "$GK_LOGS"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
export NINJA_STATUS='  [%f/%t, %es] '

# Nothing ends in silence.
trap 'printf "error: %s:%s: %s\n" "$0" "$LINENO" "$BASH_COMMAND" >&2' ERR

GK_STEP=0
say() { printf '%s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# step TEXT: announces the next step with the seconds since the start.
step() {
  GK_STEP=$((GK_STEP + 1))
  printf '\n==> step %d, %d s: %s\n' "$GK_STEP" "$SECONDS" "$*"
}

# quietly LOG COMMAND...: output goes to a log that is shown on failure.
quietly() {
  local log=$GK_LOGS/$1 status=0
  shift
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    tail -n 40 "$log" >&2
    die "'$*' failed with exit status $status; its output is in $log"
  fi
}

# hash_of FILE...: one hash of the names and contents of these files.
hash_of() { sha256sum -- "$@" | sha256sum | cut -c1-16; }

has_header() {
  local folder
  for folder in /usr/include /usr/local/include; do
    [ -e "$folder/$1" ] && return 0
  done
  return 1
}

has_version() {  # COMMAND MINIMUM
  command -v "$1" >/dev/null || return 1
  local found
  found=$("$1" --version | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)
  [ "$(printf '%s\n%s\n' "$2" "$found" | sort -V | head -n 1)" = "$2" ]
}

# A Python can build us if it is new enough and has headers, venv and pip.
python_works() {
  "$1" - >/dev/null 2>&1 <<'PY'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 11) or not os.path.exists(header))
PY
}

# Sets GK_BASE_PYTHON: $GRAPHKILN_PYTHON, else python3 on PATH, else Debian's.
# Fails if none works yet.
choose_python() {
  local candidate
  for candidate in ${GRAPHKILN_PYTHON:-python3 /usr/bin/python3}; do
    if command -v "$candidate" >/dev/null && python_works "$candidate"; then
      # A virtual environment's Python may vanish; take the one below it.
      GK_BASE_PYTHON=$("$candidate" -c '
import os, sys
name = "python%d.%d" % sys.version_info[:2]
path = os.path.join(sys.base_prefix, "bin", name)
print(path if os.path.exists(path) else sys.executable)')
      return 0
    fi
  done
  return 1
}

# Prints where a Python of this version that can build us is, on PATH or among
# pyenv's; fails if there is none.
find_python() {  # VERSION
  local candidate
  for candidate in "python$1" \
    "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/"python$1"; do
    if command -v "$candidate" >/dev/null && python_works "$candidate"; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

# Names the Debian packages whose content is not there.
missing_packages() {
  has_version g++ 12 || echo g++
  has_version cmake 3.25 || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v git >/dev/null || echo git
  command -v pkg-config >/dev/null || echo pkgconf
  command -v dot >/dev/null || echo graphviz
  has_header oneapi/dnnl/dnnl.hpp || echo libdnnl-dev
  has_header re2/re2.h || echo libre2-dev
  has_header farmhash.h || echo libfarmhash-dev
  has_header jpeglib.h || echo libjpeg62-turbo-dev
  has_header png.h || echo libpng-dev
  has_header libdeflate.h || echo libdeflate-dev
  has_header zlib.h || echo zlib1g-dev
  has_header webp/decode.h || echo libwebp-dev
  has_header eigen3/Eigen/Core || echo libeigen3-dev
  has_header fmt/format.h || echo libfmt-dev
  has_header gtest/gtest.h || echo libgtest-dev
  [ -e /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
  choose_python || echo python3-dev python3-venv
}

# apt_install PACKAGE...: as root, or by sudo.
apt_install() {
  local as_root=()
  command -v apt-get >/dev/null ||
    die "no apt-get here; please install the equivalents of: $*"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "please install as root: apt-get install $*"
    as_root=(sudo)
  fi
  say "  installing them with apt-get (this needs the network)"
  quietly apt-update.log "${as_root[@]}" apt-get update
  quietly apt-install.log "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "$@"
  hash -r
}

install_packages() {
  step "looking for the system packages that building needs"
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  if [ -z "${missing// /}" ]; then
    say "  all there"
    choose_python
    return
  fi
  say "  missing: $missing"
  # shellcheck disable=SC2086
  apt_install $missing
  missing=$(missing_packages | tr '\n' ' ')
  [ -z "${missing// /}" ] || die "still missing after apt-get: $missing"
  choose_python
}

# Doxygen, which makes the reference of the C++ library.
install_doxygen() {
  command -v doxygen >/dev/null && return
  step "Doxygen"
  apt_install doxygen
}

# libabigail's programs, if that takes no more than asking for them.
install_abigail() {
  command -v abidw >/dev/null && return
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || {
    say "  abigail-tools is missing: the C interface is compared in part only"
    return 0
  }
  step "libabigail, which compares the C interface"
  { apt-get update && env DEBIAN_FRONTEND=noninteractive apt-get install -y \
    --no-install-recommends abigail-tools; } >"$GK_LOGS/apt-abigail.log" 2>&1 \
    </dev/null || say "  not installed; see build/logs/apt-abigail.log"
}

# make_venv FOLDER GROUP...: a virtual environment with these requirements.
make_venv() {
  local folder=$1 stamp
  shift
  stamp=$folder/.stamp-$({ "$GK_BASE_PYTHON" -VV; echo "$GK_BASE_PYTHON";
    "$GK_BASE_PYTHON" scripts/requirements.py "$@"; } | sha256sum | cut -c1-16)
  step "Python environment $folder ($*)"
  if [ -e "$stamp" ]; then
    say "  up to date"
    return
  fi
  # Another base Python, or a half-made folder: start over.
  if ! "$folder/bin/python" -c "
import os, sys
sys.exit(not os.path.samefile(sys.base_exec_prefix, '$(
    "$GK_BASE_PYTHON" -c 'import sys; print(sys.base_exec_prefix)')'))
" 2>/dev/null || ! "$folder/bin/python" -m pip --version >/dev/null 2>&1; then
    say "  making it with $("$GK_BASE_PYTHON" --version) ($GK_BASE_PYTHON)"
    rm -rf "$folder"
    "$GK_BASE_PYTHON" -m venv "$folder"
  fi
  local requirements=$GK_LOGS/requirements-$(basename "$folder").txt
  "$GK_BASE_PYTHON" scripts/requirements.py "$@" >"$requirements"
  say "  installing: $(tr '\n' ' ' <"$requirements")"
  quietly "pip-$(basename "$folder").log" \
    "$folder/bin/python" -m pip install -r "$requirements"
  # Nothing is taken out: a folder with more packages than asked for will do.
  touch "$stamp"
}

# Compile jobs: one a core, but 1.5 GB of memory each.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# build PRESET [TARGET...]: configures when CMake's inputs changed, compiles.
build() {
  local preset=$1 folder=build/$1
  shift
  if [ ! -e "$folder/build.ninja" ]; then
    quietly "configure-$preset.log" cmake --preset "$preset" \
      -DPython_EXECUTABLE="$GK_ROOT/.venv/bin/python"
  fi
  run_ninja "$folder" "$@"
}

run_ninja() {  # FOLDER [TARGET...]
  local folder=$1
  shift
  if [ -t 1 ]; then
    ninja -C "$folder" -j "$(jobs)" "$@" </dev/null
  else
    ninja -C "$folder" -j "$(jobs)" "$@" </dev/null | one_line_in_20
  fi
}

# Of ninja's lines those that begin another twentieth of the work; whatever a
# compiler says, whole.
one_line_in_20() {
  local line part last=
  while IFS= read -r line; do
    if [[ $line =~ ^\ *\[([0-9]+)/([0-9]+), ]]; then
      part=$((20 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      [ "$part" != "$last" ] || continue
      last=$part
    fi
    printf '%s\n' "$line"
  done
}

build_release() {
  step "compiling into build/release (${*:-everything})"
  # A build folder made for another Python has its paths baked in.
  local stamp
  stamp=build/release/.python-$("$GK_ROOT/.venv/bin/python" -VV |
    { cat; echo "$GK_BASE_PYTHON"; } | sha256sum | cut -c1-16)
  if [ ! -e "$stamp" ]; then
    rm -rf build/release
    mkdir -p build/release
    touch "$stamp"
  fi
  build release "$@"
  # Where editors look for it.
  ln -sfn build/release/compile_commands.json compile_commands.json
}

# A line in a .pth file, not an editable install: that would go before
# PYTHONPATH, and a test of another preset's build would run this one.
show_package() {
  step "package graphkiln in .venv (that of build/release)"
  local folder=$GK_ROOT/build/release/python packages
  quietly stubs.log ninja -C build/release graphkiln_stubs
  packages=$(.venv/bin/python -c \
    'import sysconfig; print(sysconfig.get_path("purelib"))')
  if [ -e "$packages/_editable_skbc_graphkiln.pth" ]; then
    quietly pip-uninstall.log .venv/bin/python -m pip uninstall -y graphkiln
  fi
  echo "$folder" >"$packages/graphkiln.pth"
  ln -sfn "$folder/stubs" "$packages/graphkiln-stubs"
}

# set_up GROUPS [TARGET...]: everything up to a package that can be imported,
# with these groups of Python packages.
set_up() {
  local groups=$1
  shift
  install_packages
  # shellcheck disable=SC2086
  make_venv .venv build run $groups
  build_release "$@"
  show_package
}
