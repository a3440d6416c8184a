import type { AnyChunk } from '@slack/types';
import type { LiveView } from '../../domain/ports/chat.ts';
import { BUDGET } from '../text/limits.ts';
import { toTaskChunk } from './live-message-blocks.ts';

/** Remembers what a stream shows already. */
export function createStreamContent() {
  let streamed = '';
  const sentTasks = new Map<string, string>();

  return {
    /** Returns whether the view only adds text to the stream. */
    isExtendedBy: ({ text }: LiveView): boolean => text.startsWith(streamed),
    /** Returns what the stream lacks of the view; `markSent` records that it was sent. */
    missingFrom({ text, tasks }: LiveView) {
      const chunks: AnyChunk[] = tasks
        .filter((task) => sentTasks.get(task.id) !== task.status)
        .map(toTaskChunk);
      const target = withoutHalfCharacter(text.slice(0, BUDGET.growingText));
      const rest = target.slice(streamed.length);
      if (rest !== '' && target.trim() !== '') chunks.push({ type: 'markdown_text', text: rest });
      const markSent = () => {
        if (target.trim() !== '') streamed = target;
        for (const task of tasks) sentTasks.set(task.id, task.status);
      };
      return { chunks, markSent };
    },
    clear(): void {
      streamed = '';
      sentTasks.clear();
    },
  };
}

/** Cuts half a surrogate pair from the end. */
function withoutHalfCharacter(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
