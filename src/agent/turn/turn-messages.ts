import type { AssistantMessage, ToolMessage, TurnMessage } from '../../domain/threads/message.ts';

/** Returns the last assistant message. */
export function lastAssistantMessage(
  messages: readonly TurnMessage[],
): AssistantMessage | undefined {
  return messages.findLast((message) => message.role === 'assistant');
}

/**
 * Puts exactly one answer per call directly after the call's message, and drops answers without a call.
 * Providers refuse conversations with missing, duplicate or misplaced answers.
 */
export function pairCallsWithAnswers(messages: readonly TurnMessage[]): readonly TurnMessage[] {
  const paired: TurnMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    paired.push(message);
    if (message.role === 'assistant') paired.push(...answersOf(message, messages.slice(index + 1)));
  }
  return paired;
}

function answersOf(asker: AssistantMessage, later: readonly TurnMessage[]): ToolMessage[] {
  const end = later.findIndex(({ role }) => role !== 'tool');
  const answers = end === -1 ? later : later.slice(0, end);
  return asker.calls.map((call) => {
    const answer = answers.find(
      (message): message is ToolMessage => message.role === 'tool' && message.callId === call.id,
    );
    if (answer) return answer;
    const text = 'Not run: the turn ended before there was an outcome.';
    const id = `${asker.id}/${call.id}`;
    return { role: 'tool', id, callId: call.id, tool: call.tool, text, status: 'error' };
  });
}
