import { firstLine } from '../../domain/threads/message.ts';
import { escapeMrkdwn } from './mrkdwn.ts';

const TITLE_LENGTH = 80;

/** Returns a chat’s title from its first message: one line of at most 80 characters, without markup. */
export function chatTitleOf(text: string): string {
  const line = firstLine(text.replaceAll(/[^\P{C}\n]+/gu, ' '));
  const characters = Array.from(line);
  const isCut = characters.length > TITLE_LENGTH;
  return escapeMrkdwn(isCut ? `${characters.slice(0, TITLE_LENGTH - 1).join('')}…` : line);
}
