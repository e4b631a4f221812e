#include "ctl/core/nearest.h"

/* The two words, and the edit distances between their prefixes: one row for each letter of `typed`. */
struct comparison {
    struct text typed, word;
    size_t distances[NEAREST_WORD_MAX + 1][NEAREST_WORD_MAX + 1];
};

static size_t smaller(size_t one, size_t other) {
    return one < other ? one : other;
}

static bool are_swapped(const struct comparison *pair, size_t row, size_t column) {
    return row > 1 && column > 1 && pair->typed.at[row - 1] == pair->word.at[column - 2] &&
           pair->typed.at[row - 2] == pair->word.at[column - 1];
}

/* Computes the distance between the first `row` letters of one word and the first `column` of the other from the
 * distances of shorter prefixes. */
static size_t distance_at(const struct comparison *pair, size_t row, size_t column) {
    size_t differs = pair->typed.at[row - 1] == pair->word.at[column - 1] ? 0 : 1;
    size_t least = smaller(pair->distances[row - 1][column], pair->distances[row][column - 1]) + 1;
    least = smaller(least, pair->distances[row - 1][column - 1] + differs);
    return are_swapped(pair, row, column) ? smaller(least, pair->distances[row - 2][column - 2] + 1) : least;
}

static size_t distance_between(struct text typed, struct text word) {
    struct comparison pair = {.typed = typed, .word = word};
    for (size_t row = 0; row <= typed.size; row++) {
        for (size_t column = 0; column <= word.size; column++) {
            bool at_edge = row == 0 || column == 0;
            pair.distances[row][column] = at_edge ? row + column : distance_at(&pair, row, column);
        }
    }
    return pair.distances[typed.size][word.size];
}

/* The greatest distance at which a word is suggested. A more distant one would be a guess. */
static size_t distance_allowed(size_t letters) {
    return letters < 2 ? 0 : letters < 6 ? 1 : 2;
}

struct nearest nearest_to(struct text typed) {
    return (struct nearest){.typed = typed, .distance = distance_allowed(typed.size) + 1};
}

void nearest_offer(struct nearest *nearest, const char *word) {
    struct text offered = text_of(word);
    if (nearest->typed.size > NEAREST_WORD_MAX || offered.size > NEAREST_WORD_MAX) {
        return;
    }
    bool is_beginning = nearest->typed.size >= 2 && text_begins(offered, nearest->typed);
    size_t distance = is_beginning ? 1 : distance_between(nearest->typed, offered);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->word = word;
    }
}
