#!/bin/sh
# Start the redis-server of this KIND (broker or cache), with one user for each role. Secrets contain the passwords.
#
#   start.sh KIND [redis-server options]
#
# SLOWWAVE_REDIS is the folder of the .conf and .acl files, SLOWWAVE_SECRETS the folder of the passwords. No
# password is in an argument or a variable of a process. A file that only this user can read has their hashes.
set -eu
umask 077

kind=$1
shift
here=${SLOWWAVE_REDIS:-/etc/slowwave-redis}
secrets=${SLOWWAVE_SECRETS:-/run/secrets}
users=$(mktemp)

fail() {
    echo "$1" >&2
    exit 1
}

hash_of() {
    [ -n "$1" ] || fail "the password of the Redis user $2 is empty"
    printf %s "$1" | sha256sum | cut -d ' ' -f 1
}

grep '^user ' "$here/$kind.acl" | while IFS= read -r line; do
    role=${line#user }
    role=${role%% *}
    case $line in
        *" #client "*)
            # The file has words of the form NAME:PASSWORD. Without the file, there are no clients.
            [ -r "$secrets/redis_clients" ] || continue
            for pair in $(cat "$secrets/redis_clients"); do
                name=${pair%%:*}
                case $name in
                    "$pair" | '' | *[!a-z0-9-]* | default | health | worker | scheduler | flower)
                        fail "redis_clients holds words like NAME:PASSWORD, NAME of a-z, 0-9 and -, and no role's name" ;;
                esac
                [ "${#name}" -le 31 ] || fail "the name of a client has 31 letters at most: $name"
                hash=$(hash_of "${pair#*:}" "$name")
                printf '%s\n' "$line" | sed "s/^user client /user $name /; s/ #client / #$hash /; s/receipts\.client_/receipts.${name}_/"
            done
            ;;
        *" #$role "*)
            [ -r "$secrets/redis_$role" ] || fail "there is no $secrets/redis_$role with the password of the Redis user $role"
            hash=$(hash_of "$(cat "$secrets/redis_$role")" "$role")
            printf '%s\n' "$line" | sed "s/ #$role / #$hash /"
            ;;
        *)
            printf '%s\n' "$line"
            ;;
    esac
done >"$users"
grep -q '^user ' "$users" || fail "no user could be made: see above"

exec redis-server "$here/$kind.conf" --aclfile "$users" "$@"
