#!/bin/sh
# SPDX-License-Identifier: MIT
# run_tests.sh BUILD_DIR: installs a built tree to a temporary place, moves it, and uses it as a stranger would,
# by find_package and by pkg-config, with the shared and the static library.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "consumer: $*" >&2
    exit 1
}

# Moved after the installation: nothing in it may remember where it was put.
cmake --install "$build" --prefix "$work/first" >/dev/null
prefix=$work/prefix
mv "$work/first" "$prefix"
libdir=$(dirname "$(find "$prefix" -name 'libmanistat.a')")

echo "-- what is there"
for file in bin/manistat include/manistat.h include/manistat/manifold.h share/man/man1/manistat.1 \
    share/man/man1/manistat-sample.1 share/bash-completion/completions/manistat \
    share/zsh/site-functions/_manistat share/fish/vendor_completions.d/manistat.fish; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
"$prefix/bin/manistat" --version
if grep -rlF "$work/first" "$prefix" || grep -rlF "$build" "$prefix/include" "$libdir"/*/; then
    fail "installed files hold the path of the build"
fi

echo "-- find_package"
if ! { cmake -G Ninja -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/cmake"; } \
    >"$work/cmake.log" 2>&1; then
    cat "$work/cmake.log"
    fail "the CMake project does not build"
fi
for kind in shared static manistat; do
    "$work/cmake/consumer_$kind" || fail "consumer_$kind"
done
readelf -d "$work/cmake/consumer_static" | grep -q libmanistat && fail "consumer_static is not static"
readelf -d "$work/cmake/consumer_shared" | grep -q libmanistat || fail "consumer_shared is not shared"

echo "-- pkg-config"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
cc=${CC:-cc}
# shellcheck disable=SC2046  # flags are words
$cc -o "$work/shared" "$here/consumer.c" $(pkg-config --cflags --libs manistat) -Wl,-rpath,"$libdir"
"$work/shared" || fail "pkg-config"
# The linker takes libmanistat.so where both are; naming the archive is the usual way out.
# shellcheck disable=SC2046
$cc -o "$work/static" "$here/consumer.c" $(pkg-config --cflags --static --libs manistat |
    sed 's/-lmanistat/-l:libmanistat.a/')
"$work/static" || fail "pkg-config --static"
readelf -d "$work/static" | grep -q libmanistat && fail "pkg-config --static is not static"
exit 0
