import type { Called } from '../domain/card-home.ts';

/** Writes those who are called as one text; ids of Slack hold no space. */
export function joinCalled(calls: readonly Called[]): string {
  return calls.join(' ');
}

/** Reads them back. */
export function splitCalled(text: string): readonly Called[] {
  return text.split(' ').filter((each): each is Called => each !== '');
}
