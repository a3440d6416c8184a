/** The overview of the workspace for admins on Home. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { WorkspaceOverview } from '../../desk/decisions/lists/workspace-overview.ts';
import type { Call } from '../../domain/calls/call.ts';
import { type CallListEntry, toWaitingEntry } from '../../domain/cards/call-list-entry.ts';
import type { AgendaTask } from '../../domain/ports/agenda.ts';
import { escapeToolName } from '../../domain/text/visible-text.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { formatCallEntry, formatCallList } from '../cards/call-list-entry.ts';
import { dateText } from '../text/mrkdwn.ts';
import { writeSentence } from '../text/write-sentence.ts';

const MAX_ROUTES = 20;

/** Words for the tasks that were given up; their stored names are for the log. */
const TASK_LABELS: Readonly<Record<AgendaTask, string>> = {
  pump: 'continuing a thread',
  heed: 'stopping or forgetting a thread',
  run: 'running an approved call',
  expire: 'expiring a call',
  remind: 'reminding approvers',
  escalate: 'escalating a call',
  reroute: 'applying changed rules to waiting calls',
  redraw: 'updating a card',
  stub: 'linking a card in its thread',
  bulletin: 'announcing many cards together',
  say: 'posting messages in a thread',
  callback: 'sending a callback to a program',
  tidy: 'removing old records',
  damaged: 'reporting a damaged record',
};

/** Builds the overview. Calls that the admin can't open show only their tool. */
export function buildOverviewSection(
  overview: WorkspaceOverview,
  lines: ReadonlyMap<string, CallListEntry>,
  pause: Pause | undefined,
): KnownBlock[] {
  const { parked, pending, routes, stuck, unknown } = overview;
  const lineOf = (call: Call) => hideName(lines.get(call.id) ?? toWaitingEntry(call, {}));
  const state = pause === undefined ? 'Not paused' : 'Paused';
  const open = unknown === 0 ? '' : ` · *${unknown}* may have run: please check`;
  return [
    header('Workspace'),
    section(`${state} · *${pending}* waiting for a decision${open}`),
    ...(routes.length === 0 ? [] : [listRoutes(overview, lineOf)]),
    ...(routes.length > MAX_ROUTES ? [context(`… and ${routes.length - MAX_ROUTES} more.`)] : []),
    ...(overview.isPartial ? [context('Only the oldest calls are counted by route.')] : []),
    ...(stuck.length === 0
      ? []
      : [
          section(':warning: *Nobody can approve these:*'),
          formatCallList(
            stuck.map(({ call }) => lineOf(call)),
            'mentioned',
          ),
          ...[...new Set(stuck.map(({ gap }) => writeSentence(gap)))].map(context),
        ]),
    ...(parked.length === 0
      ? []
      : [
          section(
            `:warning: *Gave up after repeated failures (see the log):*\n${describeDeadLetters(parked)}`,
          ),
        ]),
  ];
}

function listRoutes(
  { routes }: WorkspaceOverview,
  lineOf: (call: Call) => CallListEntry,
): KnownBlock {
  const shown = routes.slice(0, MAX_ROUTES);
  return {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: shown.map(({ channel, count, oldest, route }) => ({
          type: 'rich_text_section',
          elements: [
            text(`${escapeToolName(route)} → `),
            ...(channel === undefined
              ? [text('their threads')]
              : [{ type: 'channel' as const, channel_id: channel }]),
            text(`: ${count} · oldest: `),
            ...formatCallEntry(lineOf(oldest), 'mentioned'),
          ],
        })),
      },
    ],
  };
}

function describeDeadLetters(parked: WorkspaceOverview['parked']): string {
  return parked
    .map(({ task, count, since }) => {
      return `• ${TASK_LABELS[task]}: ${count}, since ${dateText(Date.parse(since))}`;
    })
    .join('\n');
}

function hideName(line: CallListEntry): CallListEntry {
  return line.place === undefined ? { ...line, name: line.call.tool } : line;
}

function text(words: string): RichTextElement {
  return { type: 'text', text: words };
}

function header(words: string): KnownBlock {
  return { type: 'header', text: { type: 'plain_text', text: words, emoji: false } };
}

function section(words: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: words }, expand: true };
}

function context(words: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text: words }] };
}
