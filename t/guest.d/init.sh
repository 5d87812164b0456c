# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# init.sh - first program of a guest: mounts what programs expect and an empty
# tmpfs at /mnt, runs /script with its output on the second serial line, where no
# kernel message falls in between, says how it ended, and switches off.
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TZ=UTC

place() {
	/busybox mkdir -p "$2"
	/busybox mount -t "$1" none "$2" || echo "init: no $1 at $2"
}

place proc /proc
place sysfs /sys
place devtmpfs /dev
place tmpfs /dev/shm
place tmpfs /mnt
place tmpfs /run
place tracefs /sys/kernel/tracing
place securityfs /sys/kernel/security
place bpf /sys/fs/bpf
place cgroup2 /sys/fs/cgroup
# Its own message would stand between the lines of the console.
/busybox ifconfig lo up
/busybox stty -F /dev/ttyS1 raw -echo 115200

uptime() {
	/busybox cut -d ' ' -f 1 /proc/uptime
}

exec >/dev/ttyS1
echo "begun after $(uptime)"
/busybox sh /script </dev/null 2>&1
status=$?
printf '\nended with %d after %s\n' "$status" "$(uptime)"
exec >/dev/console
/busybox poweroff -f
