/** One model for both sides: it answers at once, in this process, so that only the rest is measured. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import type { ChatModel } from '../../../src/agent/model/create-chat-model.ts';

/** The arguments of the tool call, and the final text of the model. */
export interface Script {
  /** Whether a turn with this text makes a call before it answers. */
  readonly calls: (asked: string) => boolean;
  readonly answer: string;
}

export const CALL_ONCE: Script = { calls: () => true, answer: 'It is written.' };
export const TOOL_NAME = 'write_note';
export const TOOL_ARGS = { path: 'notes/today.txt', content: 'Ship the release at noon.' };

function wantsCall(script: Script, messages: readonly BaseMessage[]): boolean {
  const asked = messages.findLast((message) => message.getType() === 'human')?.text ?? '';
  return messages.at(-1)?.getType() !== 'tool' && script.calls(asked);
}

/** The model for our agent. */
export function createBenchModel(script: Script): ChatModel {
  let calls = 0;
  return {
    name: 'bench',
    timeoutMs: 60_000,
    maxRetries: 0,
    variables: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
    async *stream(messages) {
      if (!wantsCall(script, messages)) {
        yield { text: script.answer, calls: [], finishReason: 'stop' };
        return;
      }
      calls += 1;
      const args = JSON.stringify(TOOL_ARGS);
      const call = { index: 0, id: `call_${calls}`, name: TOOL_NAME, args };
      yield { text: '', calls: [call], finishReason: 'tool_calls' };
    },
  };
}

/** The model for the agent of LangChain. */
export class PeerModel extends BaseChatModel {
  readonly #script: Script;
  #calls = 0;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return 'bench';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = wantsCall(this.#script, messages) ? this.#call() : this.#answer();
    return { generations: [{ text: '', message }] };
  }

  #call(): AIMessage {
    this.#calls += 1;
    const call = { id: `call_${this.#calls}`, name: TOOL_NAME, args: TOOL_ARGS };
    return new AIMessage({ content: '', tool_calls: [{ ...call, type: 'tool_call' }] });
  }

  #answer(): AIMessage {
    return new AIMessage(this.#script.answer);
  }
}
