/** Removes the reasoning that a model writes into its answer. It is neither shown nor stored. */

/** Closing tags of reasoning, keyed by the opening tag. */
const TAGS: Readonly<Record<string, string>> = {
  '<think>': '</think>',
  '<thinking>': '</thinking>',
  '<thought>': '</thought>',
  '<reasoning>': '</reasoning>',
  '◁think▷': '◁/think▷',
};
const OPENING = Object.keys(TAGS);
/**
 * If the chat template writes the opening tag, the answer has only this one, at the end of a line.
 */
const STRAY = /(?<![`"'“‘])(?:<\/think>|◁\/think▷)[^\S\n]*(?:\n|$)/;
/** The end of an answer that could still become a stray tag. */
const STRAY_TAIL =
  /[`"'“‘]?(?:<(?:\/(?:t(?:h(?:i(?:n(?:k(?:>[^\S\n]*)?)?)?)?)?)?)?|◁(?:\/(?:t(?:h(?:i(?:n(?:k(?:▷[^\S\n]*)?)?)?)?)?)?)?)$/;

const LONGEST_TAG = 32;

/** A visible piece of an answer. */
export interface FilteredText {
  readonly text: string;
  /** The text shown before was reasoning: discard it. */
  readonly restarts?: true;
}

/**
 * Whether this model's answers are known to begin with reasoning. Shared by all answers of a
 * process.
 */
export interface ReasoningHabit {
  beginsInThought: boolean;
}

/** Creates the filter for one answer. */
export function createReasoningFilter(habit: ReasoningHabit) {
  let state: 'start' | 'tagged' | 'untagged' | 'shown' = habit.beginsInThought
    ? 'untagged'
    : 'start';
  let held = '';
  /** Text held back before `held`; no tag ends in it. */
  let thoughts: string[] = [];
  let closing = '';
  let hasShown = false;

  /** Returns false while more text is needed to see whether the answer begins with a tag. */
  function atStart(): boolean {
    const beginning = held.trimStart();
    const opening = OPENING.find((tag) => beginning.startsWith(tag));
    if (opening !== undefined) {
      closing = TAGS[opening] ?? '';
      held = beginning.slice(opening.length);
      state = 'tagged';
      return true;
    }
    if (OPENING.some((tag) => tag.startsWith(beginning))) return false;
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
    // The answer may have an opening tag after all.
    if (thoughts.length === 0 && OPENING.some((tag) => held.trimStart().startsWith(tag))) {
      state = 'start';
      return true;
    }
    const found = STRAY.exec(held);
    if (found) return leaveThought(found.index + found[0].length);
    // Searching the whole text at every piece would take quadratic time.
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
      // Each step continues where the last one ended.
    }
  }

  function show(text: string): FilteredText {
    // Drop the empty lines between reasoning and answer.
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
      // Without a line break the line may still continue.
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
    /** Returns the text still held back; `isComplete` tells whether the answer ended regularly. */
    end(isComplete: boolean): FilteredText {
      const rest = thoughts.join('') + held;
      held = '';
      if (state === 'tagged' || (state === 'untagged' && !isComplete)) return { text: '' };
      if (state === 'shown' && STRAY.test(rest)) return { text: '', restarts: true };
      return show(rest);
    },
  };
}
