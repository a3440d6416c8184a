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

/** What the filter of one answer has read. */
interface Filter {
  state: 'start' | 'tagged' | 'untagged' | 'shown';
  held: string;
  /** Text held back before `held`; no tag ends in it. */
  thoughts: string[];
  /** The closing tag of the reasoning that is being read. */
  closing: string;
  hasShown: boolean;
}

/** Creates the filter for one answer. */
export function createReasoningFilter(habit: ReasoningHabit) {
  const filter: Filter = {
    state: habit.beginsInThought ? 'untagged' : 'start',
    held: '',
    thoughts: [],
    closing: '',
    hasShown: false,
  };

  return {
    add(delta: string): FilteredText {
      filter.held += delta;
      skipThoughts(filter);
      if (filter.state !== 'shown') return { text: '' };
      const stray = STRAY.exec(filter.held);
      // Without a line break the line may still continue.
      if (stray?.[0].endsWith('\n')) {
        habit.beginsInThought = true;
        leaveThought(filter, stray.index + stray[0].length);
        filter.hasShown = false;
        return { ...this.add(''), restarts: true };
      }
      const tail = STRAY_TAIL.exec(filter.held)?.[0] ?? '';
      const text = filter.held.slice(0, filter.held.length - tail.length);
      filter.held = tail;
      return show(filter, text);
    },
    /** Returns the text still held back; `isComplete` tells whether the answer ended regularly. */
    end(isComplete: boolean): FilteredText {
      const { state } = filter;
      const rest = filter.thoughts.join('') + filter.held;
      filter.held = '';
      if (state === 'tagged' || (state === 'untagged' && !isComplete)) return { text: '' };
      if (state === 'shown' && STRAY.test(rest)) return { text: '', restarts: true };
      return show(filter, rest);
    },
  };
}

const STEPS = { start: readStart, tagged: readTagged, untagged: readUntagged, shown: () => false };

function skipThoughts(filter: Filter): void {
  while (STEPS[filter.state](filter)) {
    // Each step continues where the last one ended.
  }
}

/** Returns false while more text is needed to see whether the answer begins with a tag. */
function readStart(filter: Filter): boolean {
  const beginning = filter.held.trimStart();
  const opening = OPENING.find((tag) => beginning.startsWith(tag));
  if (opening !== undefined) {
    filter.closing = TAGS[opening] ?? '';
    filter.held = beginning.slice(opening.length);
    filter.state = 'tagged';
    return true;
  }
  if (OPENING.some((tag) => tag.startsWith(beginning))) return false;
  filter.state = 'shown';
  return true;
}

function readTagged(filter: Filter): boolean {
  const { closing, held } = filter;
  const end = held.indexOf(closing);
  if (end < 0) {
    filter.held = held.slice(-(closing.length - 1));
    return false;
  }
  filter.held = held.slice(end + closing.length);
  filter.state = 'start';
  return true;
}

function readUntagged(filter: Filter): boolean {
  const { held, thoughts } = filter;
  // The answer may have an opening tag after all.
  if (thoughts.length === 0 && OPENING.some((tag) => held.trimStart().startsWith(tag))) {
    filter.state = 'start';
    return true;
  }
  const found = STRAY.exec(held);
  if (found) return leaveThought(filter, found.index + found[0].length);
  // Searching the whole text at every piece would take quadratic time.
  if (held.length > 2 * LONGEST_TAG) {
    thoughts.push(held.slice(0, -LONGEST_TAG));
    filter.held = held.slice(-LONGEST_TAG);
  }
  return false;
}

function leaveThought(filter: Filter, end: number): true {
  filter.held = filter.held.slice(end);
  filter.thoughts = [];
  filter.state = 'start';
  return true;
}

/** Drops the empty lines between reasoning and answer. */
function show(filter: Filter, text: string): FilteredText {
  const shown = filter.hasShown ? text : text.trimStart();
  filter.hasShown ||= shown !== '';
  return { text: shown };
}
