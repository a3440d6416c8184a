import type { KnownBlock } from '@slack/types';
import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import { sentence } from '../../../domain/text/sentence.ts';
import type { Pause } from '../../../domain/threads/pause.ts';
import { writeSentence } from '../../text/write-sentence.ts';

/** Makes the line of an open card that says that nothing runs until an admin resumes; none without a pause, or on a call that has ended. */
export function buildPauseLine(call: Call, paused: Pause | undefined): KnownBlock[] {
  if (paused === undefined || isTerminal(call) || call.status === 'running') return [];
  const words = sentence`Paused by ${{ person: paused.by.user }} since ${{ at: paused.at }}: nothing runs until an admin resumes.`;
  const text = `:double_vertical_bar: ${writeSentence(words)}`;
  return [{ type: 'context', elements: [{ type: 'mrkdwn', text }] }];
}
