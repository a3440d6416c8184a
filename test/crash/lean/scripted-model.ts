/** A scripted model: the message that it answers contains the script, as JSON. */
import type { BaseMessage } from '@langchain/core/messages';
import type { ChatModel } from '../../../src/agent/model/create-chat-model.ts';
import type { AnswerChunk } from '../../../src/agent/model/protocol/answer-chunk.ts';
import type { KillSwitch } from './kill-switch.ts';

/** One call of a script. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
}

/** The script of a message: calls together, then the next ones, then an answer. */
export interface Script {
  readonly steps: readonly (readonly ScriptedCall[])[];
  /** The text beside its calls. */
  readonly words: string;
}

/** Makes the message that starts a script. */
export function writeScript(script: Script): string {
  return `Please play ${JSON.stringify(script)}`;
}

interface WireCall {
  readonly id: string;
}

/** Creates the model; like strict servers, it rejects a conversation with a missing or repeated result, or in the wrong order. */
export function createScriptedModel(kill: KillSwitch): ChatModel {
  return {
    name: 'scripted',
    timeoutMs: 10_000,
    maxRetries: 0,
    variables: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
    async *stream(messages): AsyncGenerator<AnswerChunk> {
      await kill.hang('before the model');
      refuseUnanswered(messages);
      const [first, ...rest] = answer(messages);
      if (first) yield first;
      // Streamed text is on its way to people.
      await kill.hang('amid the model');
      yield* rest;
      kill.pass('after the model');
    },
  };
}

function answer(messages: readonly BaseMessage[]): readonly AnswerChunk[] {
  const asked = messages.findLastIndex((message) => message.type === 'human');
  const script = readScript(String(messages[asked]?.content));
  const since = messages.slice(asked + 1);
  const step = since.filter((message) => message.type === 'ai').length;
  const calls = script.steps[step];
  if (!calls) {
    const answers = since.filter((message) => message.type === 'tool').length;
    return [
      { text: 'All is ', calls: [], finishReason: undefined },
      { text: `done; I was given ${answers} answers.`, calls: [], finishReason: 'stop' },
    ];
  }
  const pieces = calls.map(({ tool, args }, index) => ({
    index,
    id: `tc_${step}_${index}`,
    name: tool,
    args: JSON.stringify(args),
  }));
  return [
    { text: script.words, calls: [], finishReason: undefined },
    { text: '', calls: pieces, finishReason: 'tool_calls' },
  ];
}

function readScript(text: string): Script {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0) return { steps: [], words: '' };
  return JSON.parse(text.slice(start, end + 1)) as Script;
}

function refuseUnanswered(messages: readonly BaseMessage[]): void {
  let due: readonly string[] = [];
  for (const message of messages) {
    if (message.type === 'tool') {
      const [next, ...rest] = due;
      const { tool_call_id: id } = message as BaseMessage & { readonly tool_call_id: string };
      if (next !== id) throw new Error(`An answer to ${id} came where ${next ?? 'none'} was due.`);
      due = rest;
      continue;
    }
    if (due.length > 0) throw new Error(`Call ${due[0]} has no answer.`);
    const calls = message.additional_kwargs.tool_calls as readonly WireCall[] | undefined;
    due = (calls ?? []).map(({ id }) => id);
  }
}
