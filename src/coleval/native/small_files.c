/* Very many small text files, read one behind the other into one text.
 *
 * What is not plain is left to Python, which reads all of them anew and knows what to say. */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

/* What is said of a file, in the order of `FIELDS` in `small_files.py`. */
enum { MODE, INODE, DEVICE, LINKS, OWNER, GROUP, SIZE, ACCESSED, MODIFIED, CHANGED, NANOSECONDS,
       LENGTH, ENDS, FIRST_LOW, FIRST_HIGH, FIELDS };

/* Why nothing was read. */
enum { NOT_PLAIN = -1, NO_ROOM = -2 };

static const char MARK[] = "-DOCSTART-";

/* Bytes that are packed, in UTF-16 or behind a mark; blank or JSON, or nothing at all. */
static int begins_oddly(const char *text, int64_t size)
{
  static const struct { const char *bytes; size_t size; } ODD[] = {
    {"\x1f\x8b", 2}, {"\x28\xb5\x2f\xfd", 4}, {"BZh", 3}, {"\xfd" "7zXZ", 5},
    {"\xef\xbb\xbf", 3}, {"\xff\xfe", 2}, {"\xfe\xff", 2},
    {"\n", 1}, {" ", 1}, {"\t", 1}, {"{", 1}, {"[", 1},
  };
  for (size_t k = 0; k < sizeof ODD / sizeof *ODD; k++)
    if ((size_t)size >= ODD[k].size && memcmp(text, ODD[k].bytes, ODD[k].size) == 0)
      return 1;
  return size == 0;
}

/* Bytes that are looked at side by side, and how often before their counts would be too large. */
enum { LANES = 32, TURNS = 255 };

/* Count the line ends of whole lanes, and remember where other bytes are that no plain text has. */
static int64_t lanes(const uint8_t *text, int64_t turns, uint8_t *odd)
{
  uint8_t ends[LANES] = {0};
  for (int64_t turn = 0; turn < turns; turn++)
    for (int k = 0; k < LANES; k++) {
      uint8_t byte = text[turn * LANES + k];
      ends[k] += byte == '\n';
      odd[k] |= (byte == '\r') | (byte == 0);
    }
  int64_t sum = 0;
  for (int k = 0; k < LANES; k++)
    sum += ends[k];
  return sum;
}

/* How many line ends there are; -1 where there are carriage returns or bytes of 0 as well. */
static int64_t line_ends(const char *text, int64_t size)
{
  const uint8_t *bytes = (const uint8_t *)text;
  uint8_t odd[LANES] = {0}, last[LANES];
  int64_t ends = 0, at = 0;
  while (size - at >= LANES) {
    int64_t turns = (size - at) / LANES;
    turns = turns < TURNS ? turns : TURNS;
    ends += lanes(bytes + at, turns, odd);
    at += turns * LANES;
  }
  memset(last, ' ', LANES);
  memcpy(last, bytes + at, size - at);
  ends += lanes(last, 1, odd);
  for (int k = 0; k < LANES; k++)
    if (odd[k])
      return -1;
  return ends;
}

static int is_blank(const char *low, const char *high)
{
  while (low < high && (*low == ' ' || *low == '\t'))
    low++;
  return low == high;
}

/* Find the first line that is neither blank nor the mark of a document: it may be a header. */
static void first_line(const char *text, int64_t size, int64_t *found)
{
  const char *low = text, *last = text + size;
  size_t length = sizeof MARK - 1;
  for (;;) {
    const char *high = low < last ? memchr(low, '\n', last - low) : NULL;
    int marked = (size_t)(last - low) >= length && memcmp(low, MARK, length) == 0;
    if (high == NULL || !(marked || is_blank(low, high))) {
      found[0] = low - text;
      found[1] = (high ? high : last) - text;
      return;
    }
    low = high + 1;
  }
}

static void describe(const struct stat *state, int64_t *about)
{
  about[MODE] = state->st_mode;
  about[INODE] = (int64_t)state->st_ino;
  about[DEVICE] = (int64_t)state->st_dev;
  about[LINKS] = (int64_t)state->st_nlink;
  about[OWNER] = state->st_uid;
  about[GROUP] = state->st_gid;
  about[SIZE] = state->st_size;
#ifdef __APPLE__
  about[ACCESSED] = state->st_atimespec.tv_sec;
  about[MODIFIED] = state->st_mtimespec.tv_sec;
  about[CHANGED] = state->st_ctimespec.tv_sec;
  about[NANOSECONDS] = state->st_mtimespec.tv_nsec;
#else
  about[ACCESSED] = state->st_atim.tv_sec;
  about[MODIFIED] = state->st_mtim.tv_sec;
  about[CHANGED] = state->st_ctim.tv_sec;
  about[NANOSECONDS] = state->st_mtim.tv_nsec;
#endif
}

/* Read an open file that has as many bytes as it says, and not more than there is room for. */
static int64_t read_all(int file, char *out, int64_t room, int64_t *about)
{
  struct stat state;
  if (fstat(file, &state) != 0 || !S_ISREG(state.st_mode))
    return NOT_PLAIN;
  describe(&state, about);
  /* One byte more than the file has: it may be read at its end alone. */
  if (state.st_size >= room)
    return NO_ROOM;
  return read(file, out, state.st_size + 1) == state.st_size ? state.st_size : NOT_PLAIN;
}

static int64_t read_file(const char *path, char *out, int64_t room, int64_t *about)
{
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return NOT_PLAIN;
  int64_t size = read_all(file, out, room, about);
  close(file);
  return size;
}

/* Return how many bytes some files have, their paths one behind the other. */
VISIBLE int64_t coleval_small_files_size(const char *paths, int64_t files)
{
  int64_t size = 0;
  struct stat state;
  for (int64_t k = 0; k < files; k++, paths += strlen(paths) + 1) {
    if (stat(paths, &state) != 0 || !S_ISREG(state.st_mode))
      return NOT_PLAIN;
    size += state.st_size;
  }
  return size;
}

/* Read files with one line end at the end of each and an empty line between; return the size.
 *
 * There is room for `room` bytes; `about` each file go FIELDS numbers. */
VISIBLE int64_t coleval_small_files_read(const char *paths, int64_t files, char *out, int64_t room,
                                         int64_t *about)
{
  int64_t at = 0;
  for (int64_t k = 0; k < files; k++, paths += strlen(paths) + 1, about += FIELDS) {
    int64_t size = read_file(paths, out + at, room - at, about);
    if (size < 0)
      return size;
    char *text = out + at;
    if (begins_oddly(text, size))
      return NOT_PLAIN;
    while (size > 0 && text[size - 1] == '\n')
      size--;
    text[size++] = '\n';
    about[LENGTH] = size;
    about[ENDS] = line_ends(text, size);
    if (about[ENDS] < 0)
      return NOT_PLAIN;
    first_line(text, size, about + FIRST_LOW);
    at += size;
    if (k + 1 < files) {
      if (at >= room)
        return NO_ROOM;
      out[at++] = '\n';
    }
  }
  return at;
}
