import { checkMessage, checkStreamText } from '../blocks/check-arguments.ts';
import { LIMITS } from '../blocks/limits.ts';
import { assignIds } from '../blocks/walk-blocks.ts';
import { type Json, toRecords, toText } from '../json-value.ts';
import { slackError } from './api-method.ts';
import { newBlockId } from './post-message.ts';

/** A stream of the app. Its text is Markdown. */
export interface Stream {
  readonly startedAt: number;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly tasks: ReadonlyMap<string, Json>;
  readonly planTitle?: string;
}

/** Adds the content of one call: its text, then its chunks in order. */
export function extendStream(stream: Stream, args: Json): { stream: Stream } | { refusal: Json } {
  const chunks = [
    ...(args.markdown_text === undefined
      ? []
      : [{ type: 'markdown_text', text: args.markdown_text }]),
    ...toRecords(args.chunks),
  ];
  let next = stream;
  for (const chunk of chunks) {
    const refusal = checkChunk(chunk);
    if (refusal !== undefined) {
      return { refusal };
    }
    next = addChunk(next, chunk);
  }
  return { stream: next };
}

function checkChunk(chunk: Json): Json | undefined {
  switch (chunk.type) {
    case 'markdown_text':
      return checkStreamText(toText(chunk.text));
    case 'blocks':
      return checkMessage({ blocks: chunk.blocks });
    case 'task_update':
    case 'plan_update':
      return [...toText(chunk.title)].length > LIMITS.chunkText.max
        ? slackError('invalid_chunks', { errors: ['title is too long'] })
        : undefined;
    default:
      return slackError('invalid_chunks', { errors: [`unsupported chunk type: ${chunk.type}`] });
  }
}

function addChunk(stream: Stream, chunk: Json): Stream {
  switch (chunk.type) {
    case 'markdown_text':
      return { ...stream, text: stream.text + toText(chunk.text) };
    case 'blocks':
      return { ...stream, blocks: [...stream.blocks, ...toRecords(chunk.blocks)] };
    case 'plan_update':
      return { ...stream, planTitle: toText(chunk.title) };
    default: {
      const { id, title, status } = chunk;
      const task = { type: 'task_card', task_id: id, title, status };
      return { ...stream, tasks: new Map([...stream.tasks, [toText(id), task]]) };
    }
  }
}

/** Converts a stream to blocks. Slack shows its text as Markdown, and groups tasks in a plan. */
export function toContent(stream: Stream): { text: string; blocks: readonly Json[] } {
  const tasks = [...stream.tasks.values()];
  const taskBlocks =
    stream.planTitle === undefined ? tasks : [{ type: 'plan', title: stream.planTitle, tasks }];
  const markdown = stream.text === '' ? [] : [{ type: 'markdown', text: stream.text }];
  return {
    text: stream.text,
    blocks: assignIds([...taskBlocks, ...markdown, ...stream.blocks], newBlockId),
  };
}
