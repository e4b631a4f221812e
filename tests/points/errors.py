"""What each system call can fail with: the errors of its manual page that a file, a socket or a full machine can give.

Not there: errors that only a wrong argument gives (EBADF, EFAULT, EINVAL), calls that never fail (getpid, gettid), those
that end the process (exit_group), and those whose result nobody could use (munmap, close: the descriptor is gone).
"""

import errno

NO_DESCRIPTOR = ("EMFILE", "ENFILE", "ENOMEM")
PATH = (*NO_DESCRIPTOR, "EACCES", "ENOENT", "EIO")
SENT = ("EINTR", "EPIPE", "ECONNRESET", "ENOBUFS", "ENOMEM")
RECEIVED = ("EINTR", "ECONNRESET", "ETIMEDOUT", "ENOMEM", "EIO")
WRITTEN = ("EINTR", "EIO", "ENOSPC", "EDQUOT", "EPIPE")

ERRORS: dict[str, tuple[str, ...]] = {
    "read": RECEIVED, "readv": RECEIVED, "pread64": ("EINTR", "EIO"), "recvfrom": RECEIVED, "recvmsg": RECEIVED,
    "write": WRITTEN, "writev": WRITTEN, "pwrite64": WRITTEN, "pwritev": WRITTEN, "sendto": SENT, "sendmsg": SENT, "sendmmsg": SENT,
    "open": PATH, "openat": PATH, "memfd_create": NO_DESCRIPTOR, "eventfd2": NO_DESCRIPTOR, "pipe2": NO_DESCRIPTOR,
    "epoll_create1": NO_DESCRIPTOR, "signalfd4": NO_DESCRIPTOR, "timerfd_create": NO_DESCRIPTOR,
    "dup": ("EMFILE",), "dup2": ("EMFILE", "EINTR"),
    "fcntl": ("ENOMEM",), "ioctl": ("EIO",), "lseek": ("ESPIPE",), "ftruncate": ("EIO", "ENOSPC"),
    "stat": ("EACCES", "ENOENT"), "fstat": ("ENOMEM",), "newfstatat": ("EACCES", "ENOENT"), "access": ("EACCES", "ENOENT"),
    "fsync": ("EIO", "ENOSPC"), "fdatasync": ("EIO", "ENOSPC"), "flock": ("EINTR", "ENOLCK"),
    "rename": ("EACCES", "ENOSPC"), "unlink": ("EACCES", "ENOENT"), "getdents64": ("ENOENT",), "uname": (),
    "socket": (*NO_DESCRIPTOR, "ENOBUFS"), "socketpair": NO_DESCRIPTOR,
    "connect": ("ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOENT", "EAGAIN", "EINTR"),
    "accept4": ("EMFILE", "ENOMEM", "ECONNABORTED", "EINTR", "EAGAIN"), "bind": ("EADDRINUSE", "EACCES"),
    "listen": ("EADDRINUSE",), "shutdown": ("ENOTCONN",), "getsockname": ("ENOBUFS",), "getpeername": ("ENOTCONN",),
    "setsockopt": ("ENOMEM",), "getsockopt": ("ENOMEM",),
    "poll": ("EINTR", "ENOMEM"), "ppoll": ("EINTR", "ENOMEM"), "select": ("EINTR", "ENOMEM"),
    "epoll_wait": ("EINTR",), "epoll_ctl": ("ENOMEM", "ENOSPC"),
    "mmap": ("ENOMEM",), "mprotect": ("ENOMEM",), "brk": ("ENOMEM",), "mremap": ("ENOMEM",),
    "clone": ("EAGAIN", "ENOMEM"), "clone3": ("EAGAIN", "ENOMEM"), "fork": ("EAGAIN", "ENOMEM"),
    "wait4": ("EINTR",), "rt_sigtimedwait": ("EINTR", "EAGAIN"), "clock_nanosleep": ("EINTR",), "getrandom": ("EINTR",),
    "prctl": ("EPERM",), "seccomp": ("ENOMEM", "EACCES"), "setrlimit": ("EPERM",), "prlimit64": ("EPERM",),
    "sched_setaffinity": ("EPERM",), "sched_getaffinity": ("ENOMEM",),
}


def errors_of(call: str) -> list[tuple[str, int]]:
    """Name and number of each."""
    return [(name, int(getattr(errno, name))) for name in ERRORS.get(call, ())]
