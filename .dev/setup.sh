# shellcheck shell=sh disable=SC2154,SC2164,SC2209
# Sourced by `talk` and `test` beside it, which set $kind (talk or test) and $root (the checkout) first. POSIX sh.
#
# Installs what is missing and nothing else: Debian packages (said before, with apt-get), and the locked Python packages
# into .venv. The system's Python is never touched. A run that was cut short is made good by the next one; two at once
# wait for each other; when everything is there it costs some milliseconds.

venv=$root/.venv
py=$venv/bin/python
log=$venv/setup.log

case $kind in
    talk) locks=".dev/lock.txt" size="about 260 MB to fetch, 590 MB on disk" ;;
    test) locks=".dev/lock.txt .dev/lock-dev.txt" size="about 300 MB to fetch, 720 MB on disk" ;;
esac

unset PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_ROOT PIP_REQUIREMENT
export PYTHONNOUSERSITE=1 PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "voicetui: $*" >&2; }
fail() {
    say "$@"
    exit 1
}

# Python: $PYTHON, else the first of the usual names that is 3.11 to 3.13.

in_range() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1; }

find_python() {
    for name in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python; do
        if in_range "$name"; then
            python=$(command -v "$name")
            return
        fi
    done
    python=
}

no_python() {
    found=$(python3 --version 2>/dev/null || echo "no Python")
    fail "needs Python 3.11, 3.12 or 3.13, found $found; install one, or name one: PYTHON=/path/to/python3.12 sh .dev/$kind"
}

# Debian packages: what is not there yet, in $needed (nothing works without it) and $wanted.

on_debian() { [ -f /etc/debian_version ] && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }
debian_has() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

look_for_packages() {
    needed='' wanted=''
    if [ -z "$python" ]; then
        needed="python3 python3-venv"
    elif ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        needed=$("$python" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')
    fi
    on_debian || return 0
    for package in ca-certificates libgomp1 libportaudio2; do # libgomp1: the embedded model
        debian_has "$package" || wanted="${wanted:+$wanted }$package"
    done
}

find_administrator() {
    admin=none
    if [ "$(id -u)" = 0 ]; then
        admin=''
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        admin=sudo
    fi
}

install_packages() {
    packages="${needed:+$needed }$wanted"
    [ -n "$packages" ] || return 0
    by_hand="apt-get update && apt-get install -y --no-install-recommends $packages"
    if [ "$admin" = none ]; then
        say "an administrator must run: $by_hand"
        [ -z "$needed" ] || fail "then run this again"
        say "going on without"
        return 0
    fi
    # The lists are fetched too: a bare system has none. Another apt-get at work is waited for.
    apt="$admin env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
    $admin true || fail "sudo refused; an administrator must run: $by_hand"
    updated=$($apt update 2>&1) || printf '%s\n' "$updated" >&2
    # shellcheck disable=SC2086 # a list of names
    installed=$($apt install -y --no-install-recommends $packages 2>&1) && return 0
    printf '%s\n' "$installed" >&2
    [ -z "$needed" ] || fail "apt-get could not install $packages (above); mend that, or as administrator: $by_hand"
    say "apt-get could not install $packages (above); going on without"
}

# .venv: $venv/unfinished is there while it is being made or changed, $venv/ready says what it was made from.

# shellcheck disable=SC2086 # a list of names
made_from() { (cd -- "$root" && printf '%s\n' "$root" && cksum .dev/lock-build.txt $1 pyproject.toml); }

venv_is_whole() { [ ! -f "$venv/unfinished" ] && in_range "$py"; }

is_ready() {
    [ -f "$venv/ready-$kind" ] && [ "$(made_from "$locks")" = "$(cat "$venv/ready-$kind")" ] && venv_is_whole
}

pip() { # one line for each large file that is fetched; everything into the log
    rm -f "$venv/pip-done"
    {
        "$py" -m pip --no-color install --no-build-isolation --use-pep517 --progress-bar off "$@" 2>&1 9>&- &&
            : >"$venv/pip-done"
    } | tee -a "$log" | sed -n "$large_files" >&2
    [ -f "$venv/pip-done" ] && rm "$venv/pip-done" && return 0
    tail -n 15 "$log" >&2
    [ -n "$fresh" ] || rm "$venv/unfinished" # pip has put everything back
    fail "pip could not install the packages (above; all of it in $log); check the network and the index that is set up" \
        "(pip config list), and run this again"
}
large_files='s/^ *Downloading \([^ ]*\)-\([0-9][^ -]*\)-[^ ]* (\([0-9.]* MB\)).*/voicetui:     \1 \2, \3/p
s/^ *Using cached \([^ ]*\)-\([0-9][^ -]*\)-[^ ]* (\([0-9.]* MB\)).*/voicetui:     \1 \2, \3, fetched before/p'

make_venv() {
    fresh=''
    if ! venv_is_whole; then
        [ -n "$python" ] || no_python
        rm -rf -- "$venv"
        mkdir -- "$venv"
        : >"$venv/unfinished"
        fresh=yes
        "$python" -m venv "$venv" >"$log" 2>&1 || { cat "$log" >&2; fail "$python could not make $venv (above)"; }
    fi
    : >"$venv/unfinished"
    rm -f "$venv"/ready-*
    pip --require-hashes -r .dev/lock-build.txt
    requirements=''
    for lock in $locks; do requirements="$requirements -r $lock"; done
    # shellcheck disable=SC2086 # a list of names
    pip --require-hashes $requirements
    pip --no-deps -e .
    made_from .dev/lock.txt >"$venv/ready-talk"
    [ "$kind" = talk ] || made_from "$locks" >"$venv/ready-$kind"
    rm "$venv/unfinished"
}

# One at a time: the kernel lets go of the lock when its holder ends, however it ends.

lock() {
    exec 9>>"$root/.venv.lock" || fail "cannot write to $root"
    if command -v flock >/dev/null; then
        flock -n 9 || { say "another run is setting up; waiting for it"; flock 9; }
    elif [ -n "$python" ]; then
        "$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)' 9>&9
    fi
}

set_up() {
    is_ready && return 0
    [ -w "$root" ] || fail "cannot write to $root, where .venv is made; use a copy of your own"
    lock_here=$PWD
    cd -- "$root"
    find_python
    lock
    if ! is_ready; then
        look_for_packages
        find_administrator
        [ -n "$python" ] || on_debian || no_python
        say "setting up (once). This installs, or brings up to date:"
        if on_debian; then
            [ -z "$needed$wanted" ] || say "  Debian packages: ${needed:+$needed }$wanted"
        else
            [ -z "$needed" ] || fail "$python has no venv module (on Debian: $needed); install it and run this again"
            say "  not Debian: for a microphone, install PortAudio yourself if it is not there (on Debian: libportaudio2)"
        fi
        venv_is_whole && size="only what has changed"
        say "  Python packages, locked by hash, into $venv: $size"
        install_packages
        find_python
        make_venv
        say "set up"
    fi
    exec 9>&-
    cd -- "$lock_here"
}

# Models: only what is missing is fetched, and it is said what and how large.

models_here() { # where the data folder cannot be written to, the models lie in the checkout
    [ -z "${VOICETUI_MODELS:-}" ] || return 0
    "$py" - <<'END' 2>/dev/null || export VOICETUI_MODELS="$root/.models"
from voicetui.engine.models import models_folder
models_folder().mkdir(parents=True, exist_ok=True)
import os
raise SystemExit(not os.access(models_folder(), os.W_OK))
END
}
