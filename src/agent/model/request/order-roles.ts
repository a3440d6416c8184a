/**
 * Puts a conversation into the order that strict chat templates require: after the instructions,
 * user and assistant alternate, and the assistant follows tool results. Mistral's API and many vLLM
 * templates refuse any other order, as long as it is in the history.
 */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';

/** Fills in for the answer if a turn ended before the model answered its tool results. */
const ENDED = 'The person ended this here.';
const NO_TEXT = '(no text)';

/** Returns the messages in a valid order. Consecutive user messages are joined. */
export function orderRoles(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const ordered: BaseMessage[] = [];
  for (const message of messages.flatMap(withText)) {
    const last = ordered.at(-1);
    if (HumanMessage.isInstance(last) && HumanMessage.isInstance(message)) {
      ordered[ordered.length - 1] = joinMessages(last, message);
      continue;
    }
    if (isPlain(last) && AIMessage.isInstance(message)) {
      ordered[ordered.length - 1] = joinAnswers(last, message);
      continue;
    }
    if (ToolMessage.isInstance(last) && HumanMessage.isInstance(message)) {
      ordered.push(new AIMessage(ENDED));
    }
    ordered.push(message);
  }
  return ordered;
}

/** Servers also refuse blank messages. A blank assistant message without calls is dropped. */
function withText(message: BaseMessage): readonly BaseMessage[] {
  const isBlank = typeof message.content === 'string' && message.content.trim() === '';
  if (!isBlank) return [message];
  if (HumanMessage.isInstance(message)) return [new HumanMessage(NO_TEXT)];
  return isPlain(message) ? [] : [message];
}

/** Returns whether it is an assistant message without calls. */
function isPlain(message: BaseMessage | undefined): message is AIMessage {
  return AIMessage.isInstance(message) && !message.additional_kwargs.tool_calls?.length;
}

function joinMessages(first: HumanMessage, second: HumanMessage): HumanMessage {
  const [a, b] = [first.content, second.content];
  if (typeof a === 'string' && typeof b === 'string') return new HumanMessage(`${a}\n\n${b}`);
  return new HumanMessage({ content: [...toParts(a), ...toParts(b)] });
}

function toParts(content: HumanMessage['content']) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
}

function joinAnswers(first: AIMessage, second: AIMessage): AIMessage {
  const texts = [first.content, second.content].filter((text) => text !== '');
  const joined = new AIMessage(texts.join('\n\n'));
  Object.assign(joined.additional_kwargs, second.additional_kwargs);
  return joined;
}
