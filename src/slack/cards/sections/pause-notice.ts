import type { KnownBlock } from '@slack/types';
import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import { sentence } from '../../../domain/text/sentence.ts';
import type { Pause } from '../../../domain/threads/pause.ts';
import { writeSentence } from '../../text/write-sentence.ts';

/**
 * Builds the line that says that the app is paused; empty if it is not, or if the call runs or has
 * ended.
 */
export function buildPauseLine(call: Call, paused: Pause | undefined): KnownBlock[] {
  if (paused === undefined || isTerminal(call) || call.status === 'running') return [];
  const notice = sentence`Paused by ${{ person: paused.by.user }} since ${{ at: paused.at }}: nothing runs until an admin resumes.`;
  const text = `:double_vertical_bar: ${writeSentence(notice)}`;
  return [{ type: 'context', elements: [{ type: 'mrkdwn', text }] }];
}
