import type { AnyChunk, KnownBlock } from '@slack/types';
import type { LiveTask, LiveView } from '../../domain/ports/chat.ts';
import { escapeToolName } from '../../domain/text/visible-text.ts';
import { BUDGET } from '../text/limits.ts';
import { splitMarkdown } from '../text/split-markdown.ts';
import { ACTIONS } from '../transport/ids.ts';
import type { ComposedMessage } from './build-messages.ts';

/** The button that ends a turn, known by the id of the message that began it. */
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

/** Writes a task as a stream tells of it. */
export function toTaskChunk(task: LiveTask): AnyChunk {
  return { type: 'task_update', id: task.id, title: titleOf(task), status: task.status };
}

/** Makes the growing message where it is no stream, from Markdown that is defused already; `stop` is our own button, where Slack shows none. */
export function buildLiveMessage(view: LiveView, stop: readonly KnownBlock[]): ComposedMessage {
  const [text = ''] = splitMarkdown(view.text, BUDGET.growingText);
  const lines = view.tasks.slice(-BUDGET.growingTasks).map(toLine);
  const tasks: readonly KnownBlock[] =
    lines.length === 0
      ? []
      : [{ type: 'context', elements: [{ type: 'mrkdwn', text: lines.join('\n') }] }];
  const words: readonly KnownBlock[] = text.trim() === '' ? [] : [{ type: 'markdown', text }];
  return { text: 'The agent is at work.', blocks: [...tasks, ...words, ...stop] };
}

const SIGNS: Readonly<Record<LiveTask['status'], string>> = {
  pending: '○',
  in_progress: '◐',
  complete: '✓',
  error: '✕',
};

function toLine(task: LiveTask): string {
  return `${SIGNS[task.status]} ${titleOf(task)}`;
}

/** A tool's name is written so that it is no markup anywhere; “task” alone would say nothing. */
function titleOf({ tool, helper }: LiveTask): string {
  if (tool === undefined) return 'Thinking';
  if (helper !== undefined) return `Helper ${escapeToolName(helper)}`;
  return tool === 'task' ? 'A helper’s work' : escapeToolName(tool);
}
