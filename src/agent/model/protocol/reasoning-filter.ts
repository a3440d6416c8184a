/** What a model thinks aloud within its answer, which is neither shown nor kept. */

/** Tags around thoughts, by their opening ones. */
const TAGS: Readonly<Record<string, string>> = {
  '<think>': '</think>',
  '<thinking>': '</thinking>',
  '<thought>': '</thought>',
  '<reasoning>': '</reasoning>',
  '◁think▷': '◁/think▷',
};
const OPENING = Object.keys(TAGS);
/** Templates that open the thought themselves leave only this to the answer. It stands at the end of a line. */
const STRAY = /(?<![`"'“‘])(?:<\/think>|◁\/think▷)[^\S\n]*(?:\n|$)/;
/** As much of an answer's end as could still become a stray tag at the end of a line. */
const STRAY_TAIL =
  /[`"'“‘]?(?:<(?:\/(?:t(?:h(?:i(?:n(?:k(?:>[^\S\n]*)?)?)?)?)?)?)?|◁(?:\/(?:t(?:h(?:i(?:n(?:k(?:▷[^\S\n]*)?)?)?)?)?)?)?)$/;

const LONGEST_TAG = 32;

/** A part of an answer as people may see it. */
export interface FilteredText {
  readonly text: string;
  /** What was shown of this answer before was a thought. */
  readonly restarts?: true;
}

/** Whether answers of this model are known to begin within a thought; shared by all answers of a process. */
export interface ReasoningHabit {
  beginsInThought: boolean;
}

/** Creates the filter of one answer. */
export function createReasoningFilter(habit: ReasoningHabit) {
  let state: 'start' | 'tagged' | 'untagged' | 'shown' = habit.beginsInThought
    ? 'untagged'
    : 'start';
  let held = '';
  /** What was held back before that: no tag ends in it. */
  let thoughts: string[] = [];
  let closing = '';
  let hasShown = false;

  /** Decides whether the answer begins with a tag, or waits for more of it. */
  function atStart(): boolean {
    const begun = held.trimStart();
    const opening = OPENING.find((tag) => begun.startsWith(tag));
    if (opening !== undefined) {
      closing = TAGS[opening] ?? '';
      held = begun.slice(opening.length);
      state = 'tagged';
      return true;
    }
    if (OPENING.some((tag) => tag.startsWith(begun))) return false;
    state = 'shown';
    return true;
  }

  function inTag(): boolean {
    const end = held.indexOf(closing);
    if (end < 0) {
      held = held.slice(-(closing.length - 1));
      return false;
    }
    held = held.slice(end + closing.length);
    state = 'start';
    return true;
  }

  function untagged(): boolean {
    // The opening tag may be there after all.
    if (thoughts.length === 0 && OPENING.some((tag) => held.trimStart().startsWith(tag))) {
      state = 'start';
      return true;
    }
    const found = STRAY.exec(held);
    if (found) return leaveThought(found.index + found[0].length);
    // Searching all of it at every piece would take time by its square.
    if (held.length > 2 * LONGEST_TAG) {
      thoughts.push(held.slice(0, -LONGEST_TAG));
      held = held.slice(-LONGEST_TAG);
    }
    return false;
  }

  function leaveThought(end: number): true {
    held = held.slice(end);
    thoughts = [];
    state = 'start';
    return true;
  }

  function settlePending(): void {
    const steps = { start: atStart, tagged: inTag, untagged, shown: () => false };
    while (steps[state]()) {
      // Each step goes on where the one before has ended.
    }
  }

  function show(text: string): FilteredText {
    // Between a thought and the answer stand empty lines.
    const shown = hasShown ? text : text.trimStart();
    hasShown ||= shown !== '';
    return { text: shown };
  }

  return {
    add(delta: string): FilteredText {
      held += delta;
      settlePending();
      if (state !== 'shown') return { text: '' };
      const stray = STRAY.exec(held);
      // At the very end it may yet go on in the line.
      if (stray?.[0].endsWith('\n')) {
        habit.beginsInThought = true;
        leaveThought(stray.index + stray[0].length);
        hasShown = false;
        return { ...this.add(''), restarts: true };
      }
      const tail = STRAY_TAIL.exec(held)?.[0] ?? '';
      const text = held.slice(0, held.length - tail.length);
      held = tail;
      return show(text);
    },
    /** Returns what was still held back; `isWhole` tells whether the answer came to its end. */
    end(isWhole: boolean): FilteredText {
      const rest = thoughts.join('') + held;
      held = '';
      if (state === 'tagged' || (state === 'untagged' && !isWhole)) return { text: '' };
      if (state === 'shown' && STRAY.test(rest)) return { text: '', restarts: true };
      return show(rest);
    },
  };
}
