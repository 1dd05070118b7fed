#!/usr/bin/env bash
# Installs pgvector for the newest installed PostgreSQL: Debian's package if there is one, or else a build from the source of a
# newer Debian. Does nothing if pgvector is installed.
set -euo pipefail
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -t/ -k5 -n | tail -1)
version=$(basename "$(dirname "$bin")")
[ -e "/usr/share/postgresql/$version/extension/vector.control" ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >/dev/null
apt-get install -y -qq --no-install-recommends "postgresql-$version-pgvector" >/dev/null 2>&1 && exit 0
apt-get install -y -qq --no-install-recommends "postgresql-server-dev-$version" build-essential dpkg-dev debian-archive-keyring >/dev/null
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$build/lists/partial" "$build/cache/archives/partial"
# The mirror from which this machine already installs Debian's packages.
debian=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | head -1)
[ -n "$debian" ] || { echo "no package source with Debian's packages is configured" >&2; exit 1; }
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $debian trixie main" >"$build/sources.list"
from=(-o "Dir::Etc::sourcelist=$build/sources.list" -o Dir::Etc::sourceparts=/nowhere -o "Dir::State::lists=$build/lists"
  -o "Dir::Cache=$build/cache" -o APT::Sandbox::User=root)
cd "$build"
apt-get "${from[@]}" -qq update
apt-get "${from[@]}" -qq source --download-only pgvector
tar xzf pgvector_*.orig.tar.gz
# For any processor, and without PostgreSQL's just-in-time compilation.
make -s -C pgvector-*/ PG_CONFIG="$bin/pg_config" OPTFLAGS= with_llvm=no >/dev/null
make -s -C pgvector-*/ PG_CONFIG="$bin/pg_config" with_llvm=no install >/dev/null
