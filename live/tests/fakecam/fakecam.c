/* A camera that is not there: preloaded into a program, this plays a Video4Linux capture device at /dev/video0.
 *
 * What the camera does stands in the file named by FAKECAM_CONTROL and may change at any moment:
 *   films      pictures come, thirty a second
 *   black      pictures come, but they are black
 *   stalls     no pictures come
 *   gone       it was unplugged: what is open fails, nothing can be opened
 *   busy       another program has it
 *   forbidden  this program may not have it
 *
 * FAKECAM_PICTURES is a folder with 0.jpg, 1.jpg, … (the camera then speaks MJPG; 640 × 480 and 1280 × 720 are offered,
 * the pictures have whatever size they have); without it the camera speaks YUYV and films a slope with noise.
 * FAKECAM_DARK is how many pictures are dark after it was opened, as a real camera's are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICE "/dev/video0"
#define MOST_BUFFERS 8
#define MOST_BYTES (1280 * 720 * 2)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int camera = -1;   /* an eventfd: readable while a picture is due */
static int memory = -1;   /* the buffers, one after the other */
static int streaming;
static unsigned width = 640, height = 480, format, taken;
static int queue[MOST_BUFFERS], queued, buffers;

static const char *control(void) {
    static char word[16];
    const char *path = getenv("FAKECAM_CONTROL");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file || fscanf(file, "%15s", word) != 1)
        strcpy(word, "films");
    if (file)
        fclose(file);
    return word;
}

static int is(const char *word) { return strcmp(control(), word) == 0; }

static int films_jpegs(void) { return getenv("FAKECAM_PICTURES") != NULL; }

/* Makes the device readable thirty times a second, unless it stalls. */
static void *tick(void *unused) {
    (void)unused;
    for (;;) {
        usleep(33000);
        pthread_mutex_lock(&lock);
        if (camera >= 0 && streaming && !is("stalls"))
            eventfd_write(camera, 1);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static int open_camera(int flags) {
    static pthread_t ticking;
    if (is("gone"))
        return errno = ENOENT, -1;
    if (is("forbidden"))
        return errno = EACCES, -1;
    if (is("busy") || camera >= 0)
        return errno = EBUSY, -1;
    camera = eventfd(0, EFD_CLOEXEC | ((flags & O_NONBLOCK) ? EFD_NONBLOCK : 0));
    taken = streaming = queued = 0;
    if (!ticking)
        pthread_create(&ticking, NULL, tick, NULL);
    return camera;
}

static int open_any(const char *name, const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    if (!path || strcmp(path, DEVICE) != 0)
        /* No other camera of this machine is to be found. */
        return path && strncmp(path, "/dev/video", 10) == 0 ? (errno = ENOENT, -1) : real(path, flags, mode);
    pthread_mutex_lock(&lock);
    int opened = open_camera(flags);
    pthread_mutex_unlock(&lock);
    return opened;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | __O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return open_any("open", path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_any("open64", path, flags, mode); }

int close(int fd) {
    static int (*real)(int);
    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    pthread_mutex_lock(&lock);
    if (fd >= 0 && fd == camera) {
        camera = -1;
        streaming = 0;
        if (memory >= 0)
            real(memory);
        memory = -1;
    }
    pthread_mutex_unlock(&lock);
    return real(fd);
}

void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off64_t);
    if (!real)
        real = (void *(*)(void *, size_t, int, int, int, off64_t))dlsym(RTLD_NEXT, "mmap64");
    return real(at, length, protection, flags, fd >= 0 && fd == camera ? memory : fd, offset);
}
void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    return mmap64(at, length, protection, flags, fd, offset);
}

static void describe(struct v4l2_format *wanted) {
    int large = wanted->fmt.pix.width > 640;
    memset(&wanted->fmt.pix, 0, sizeof wanted->fmt.pix);
    wanted->fmt.pix.width = large ? 1280 : 640;
    wanted->fmt.pix.height = large ? 720 : 480;
    wanted->fmt.pix.pixelformat = films_jpegs() ? V4L2_PIX_FMT_MJPEG : V4L2_PIX_FMT_YUYV;
    wanted->fmt.pix.field = V4L2_FIELD_NONE;
    wanted->fmt.pix.bytesperline = films_jpegs() ? 0 : wanted->fmt.pix.width * 2;
    wanted->fmt.pix.sizeimage = MOST_BYTES;
    wanted->fmt.pix.colorspace = V4L2_COLORSPACE_SRGB;
}

static size_t take_jpeg(unsigned char *to) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%u.jpg", getenv("FAKECAM_PICTURES"), taken);
    FILE *file = fopen(path, "rb");
    if (!file) { /* after the last one the first again */
        if (taken == 0)
            return 0;
        taken = 0;
        return take_jpeg(to);
    }
    size_t bytes = fread(to, 1, MOST_BYTES, file);
    fclose(file);
    return bytes;
}

static size_t take_yuyv(unsigned char *to) {
    static unsigned total;
    const char *dark = getenv("FAKECAM_DARK");
    int black = is("black") || (dark && taken < (unsigned)atoi(dark));
    total++;
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            unsigned noise = (x * 2654435761u ^ y * 40503u ^ total * 97u) * 2246822519u >> 30;
            unsigned char *pixel = to + (y * width + x) * 2;
            pixel[0] = black ? 16 : 60 + x * 100 / width + noise;
            pixel[1] = 128;
        }
    return (size_t)width * height * 2;
}

static int take_picture(struct v4l2_buffer *buffer) {
    eventfd_t due;
    if (is("gone"))
        return errno = ENODEV, -1;
    if (!streaming || !queued || eventfd_read(camera, &due))
        return errno = EAGAIN, -1;
    int index = queue[0];
    memmove(queue, queue + 1, --queued * sizeof *queue);
    unsigned char *to = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)index * MOST_BYTES);
    if (to == MAP_FAILED)
        return -1;
    buffer->index = index;
    buffer->bytesused = films_jpegs() ? take_jpeg(to) : take_yuyv(to);
    buffer->length = MOST_BYTES;
    buffer->flags = V4L2_BUF_FLAG_DONE;
    buffer->sequence = taken++;
    munmap(to, MOST_BYTES);
    return 0;
}

static int answer(unsigned long request, void *argument) {
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *is = argument;
        memset(is, 0, sizeof *is);
        strcpy((char *)is->driver, "fakecam");
        strcpy((char *)is->card, "Felt Camera");
        is->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_DEVICE_CAPS;
        is->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        return 0;
    }
    case VIDIOC_ENUM_FMT: {
        struct v4l2_fmtdesc *is = argument;
        if (is->index > 0)
            return errno = EINVAL, -1;
        is->pixelformat = films_jpegs() ? V4L2_PIX_FMT_MJPEG : V4L2_PIX_FMT_YUYV;
        strcpy((char *)is->description, "the only one");
        return 0;
    }
    case VIDIOC_ENUM_FRAMESIZES: {
        struct v4l2_frmsizeenum *is = argument;
        if (is->index > 1)
            return errno = EINVAL, -1;
        is->type = V4L2_FRMSIZE_TYPE_DISCRETE;
        is->discrete.width = is->index ? 1280 : 640;
        is->discrete.height = is->index ? 720 : 480;
        return 0;
    }
    case VIDIOC_G_FMT: case VIDIOC_TRY_FMT: case VIDIOC_S_FMT:
        describe(argument);
        if (request == VIDIOC_S_FMT) {
            struct v4l2_format *set = argument;
            width = set->fmt.pix.width, height = set->fmt.pix.height, format = set->fmt.pix.pixelformat;
        }
        return 0;
    case VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *wanted = argument;
        if (wanted->count > MOST_BUFFERS)
            wanted->count = MOST_BUFFERS;
        buffers = wanted->count, queued = 0;
        if (memory < 0 && buffers)
            memory = memfd_create("fakecam", MFD_CLOEXEC);
        return buffers ? ftruncate(memory, (off_t)MOST_BYTES * MOST_BUFFERS) : 0;
    }
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *is = argument;
        is->length = MOST_BYTES, is->m.offset = is->index * MOST_BYTES;
        return 0;
    }
    case VIDIOC_QBUF:
        if (queued == MOST_BUFFERS)
            return errno = EINVAL, -1;
        queue[queued++] = ((struct v4l2_buffer *)argument)->index;
        return is("gone") ? (errno = ENODEV, -1) : 0;
    case VIDIOC_STREAMON: streaming = 1; return 0;
    case VIDIOC_STREAMOFF: streaming = queued = 0; return 0;
    case VIDIOC_DQBUF: return take_picture(argument);
    default: return errno = ENOTTY, -1;
    }
}

int ioctl(int fd, unsigned long request, ...) {
    static int (*real)(int, unsigned long, ...);
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!real)
        real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    if (fd < 0 || fd != camera)
        return real(fd, request, argument);
    pthread_mutex_lock(&lock);
    int result = answer((uint32_t)request, argument);
    pthread_mutex_unlock(&lock);
    return result;
}

/* The v4l crate asks the kernel directly. */
long syscall(long number, ...) {
    static long (*real)(long, ...);
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
#ifdef __NR_ioctl
    if (number == __NR_ioctl && a[0] >= 0 && (int)a[0] == camera)
        return ioctl((int)a[0], (unsigned long)a[1], (void *)a[2]);
#endif
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
