import type { AnyChunk, KnownBlock } from '@slack/types';
import type { LiveTask, LiveView } from '../../domain/ports/chat.ts';
import { escapeToolName } from '../../domain/text/visible-text.ts';
import { BUDGET } from '../text/limits.ts';
import { splitMarkdown } from '../text/split-markdown.ts';
import { ACTIONS } from '../transport/ids.ts';
import type { ComposedMessage } from './build-messages.ts';

/** Builds the button that stops a turn. `turn` is the id of the turn’s first message. */
export function buildStopButton(turn: string): KnownBlock {
  return {
    type: 'actions',
    elements: [
      {
        type: 'button',
        action_id: ACTIONS.stopTurn,
        text: { type: 'plain_text', text: 'Stop', emoji: false },
        value: turn,
        accessibility_label: 'Stop the agent’s work in this thread',
      },
    ],
  };
}

/** Converts a task to a stream chunk. */
export function toTaskChunk(task: LiveTask): AnyChunk {
  return { type: 'task_update', id: task.id, title: titleOf(task), status: task.status };
}

/** Builds the live message without a stream, from Markdown with disarmed mentions. `stop` is our button, if Slack shows none. */
export function buildLiveMessage(view: LiveView, stop: readonly KnownBlock[]): ComposedMessage {
  const [text = ''] = splitMarkdown(view.text, BUDGET.growingText);
  const lines = view.tasks.slice(-BUDGET.growingTasks).map(toLine);
  const tasks: readonly KnownBlock[] =
    lines.length === 0
      ? []
      : [{ type: 'context', elements: [{ type: 'mrkdwn', text: lines.join('\n') }] }];
  const answer: readonly KnownBlock[] = text.trim() === '' ? [] : [{ type: 'markdown', text }];
  return { text: 'The agent is working.', blocks: [...tasks, ...answer, ...stop] };
}

const ICONS: Readonly<Record<LiveTask['status'], string>> = {
  pending: '○',
  in_progress: '◐',
  complete: '✓',
  error: '✕',
};

function toLine(task: LiveTask): string {
  return `${ICONS[task.status]} ${titleOf(task)}`;
}

/** Escapes tool names, which may contain markup. “task” alone would mean nothing to people. */
function titleOf({ tool, helper }: LiveTask): string {
  if (tool === undefined) return 'Thinking';
  if (helper !== undefined) return `Helper ${escapeToolName(helper)}`;
  return tool === 'task' ? 'A helper’s work' : escapeToolName(tool);
}
