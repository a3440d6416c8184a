import { slackError } from '../api/api-method.ts';
import { isJson, type Json, toText } from '../json-value.ts';
import { LIMITS } from './limits.ts';
import type { BlockProblem } from './rules.ts';
import { validateMessage, validateView } from './validate-blocks.ts';

/** Returns Slack's error for an invalid message, or undefined if it is valid. */
export function checkMessage(args: Json, options?: { textLimit?: boolean }): Json | undefined {
  const { text, blocks, attachments, metadata } = args;
  if (text !== undefined && typeof text !== 'string') {
    return slackError('invalid_arguments', toDetails([note('/text', 'must be a string')]));
  }
  if (!Array.isArray(blocks)) {
    return slackError('invalid_blocks_format');
  }
  if (toText(text) === '' && blocks.length === 0 && attachments === undefined) {
    return slackError('no_text');
  }
  if (metadata !== undefined && !isMetadata(metadata)) {
    return slackError('invalid_metadata_format');
  }
  const problems = validateMessage({ blocks }, options);
  if (problems.length === 0) {
    return undefined;
  }
  const onlyLong = problems.every(({ code }) => code === 'msg_blocks_too_long');
  return slackError(onlyLong ? 'msg_blocks_too_long' : 'invalid_blocks', toDetails(problems));
}

function isMetadata(value: unknown): boolean {
  return isJson(value) && typeof value.event_type === 'string' && isJson(value.event_payload);
}

/** Returns Slack's error for an invalid view, or undefined if it is valid. */
export function checkView(view: unknown): Json | undefined {
  if (Buffer.byteLength(JSON.stringify(view) ?? '') > LIMITS.viewBytes.max) {
    return slackError('view_too_large');
  }
  const problems = validateView(view).map((problem) => ({
    ...problem,
    pointer: `/view${problem.pointer}`,
  }));
  return problems.length === 0 ? undefined : slackError('invalid_arguments', toDetails(problems));
}

/** Returns Slack's error if the text is too long for one call of a stream. */
export function checkStreamText(text: string): Json | undefined {
  return [...text].length > LIMITS.streamText.max ? slackError('msg_too_long') : undefined;
}

function note(pointer: string, message: string): BlockProblem {
  return { pointer, code: 'invalid_type', message };
}

/** Formats problems as Slack's answers contain them. */
function toDetails(problems: readonly BlockProblem[]): Json {
  const errors = problems.map(({ message, pointer }) => `${message} [json-pointer:${pointer}]`);
  return { errors, response_metadata: { messages: errors.map((error) => `[ERROR] ${error}`) } };
}
