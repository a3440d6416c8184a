import assert from 'node:assert/strict';
import { callEditOf } from '../../../src/domain/calls/call-edit.ts';
import { type Outcome, toToolReply } from '../../../src/domain/calls/outcome.ts';
import type { ScriptedModel } from '../../../src/playground/script/scripted-model.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { type MockMessage, refusalOf } from '../../support/servers/mock-model-rules.ts';

export interface Answer {
  readonly words: string;
  readonly calls: readonly { id: string; tool: string; args: Record<string, unknown> }[];
  readonly finishReason: string | null;
}

/** A thread with the scripted model over HTTP, as the app uses it. */
export function aThreadWith(
  model: Pick<ScriptedModel, 'apiKey' | 'baseUrl'>,
  tools: readonly string[] = ['run_command'],
) {
  const messages: MockMessage[] = [{ role: 'system', content: 'You are Countersign.' }];
  async function ask(): Promise<Answer> {
    const request = {
      model: 'gpt-4o-mini',
      stream: true,
      messages,
      ...(tools.length > 0 && { tools: tools.map(toWireTool) }),
    };
    assert.equal(refusalOf(request), undefined);
    const answer = await readAnswer(model, request);
    messages.push({
      role: 'assistant',
      content: answer.words,
      ...(answer.calls.length > 0 && {
        tool_calls: answer.calls.map(({ id, tool, args }) => ({
          id,
          type: 'function',
          function: { name: tool, arguments: JSON.stringify(args) },
        })),
      }),
    });
    return answer;
  }
  return {
    say(text: string) {
      messages.push({ role: 'user', content: text });
      return ask();
    },
    end({ calls }: Answer, ...outcomes: readonly (Outcome | [Outcome, ranWith: string])[]) {
      for (const [index, { id }] of calls.entries()) {
        const given = outcomes[index] ?? { kind: 'result', text: 'done' };
        const { text } = Array.isArray(given)
          ? toToolReply(given[0], editTo(given[1]))
          : toToolReply(given as Outcome);
        messages.push({ role: 'tool', tool_call_id: id, content: text });
      }
      return ask();
    },
  };
}

function toWireTool(name: string) {
  const parameters = { type: 'object', properties: {} };
  return { type: 'function', function: { name, parameters } };
}

async function readAnswer(
  model: Pick<ScriptedModel, 'apiKey' | 'baseUrl'>,
  request: unknown,
): Promise<Answer> {
  const response = await fetch(`${model.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${model.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  assert.equal(response.status, 200, await response.clone().text());
  const chunks = (await response.text())
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)).choices[0]);
  const calls: { id: string; tool: string; args: string }[] = [];
  for (const call of chunks.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    calls[call.index] ??= { id: call.id, tool: call.function.name, args: '' };
    const open = calls[call.index];
    if (open) open.args += call.function.arguments ?? '';
  }
  return {
    words: chunks.map(({ delta }) => delta.content ?? '').join(''),
    calls: calls.map(({ args, ...call }) => ({ ...call, args: JSON.parse(args) })),
    finishReason: chunks.at(-1)?.finish_reason,
  };
}

export function toolsOf({ calls }: Answer): readonly string[] {
  const about = ({ agent, command, order, path, to }: Record<string, unknown>) =>
    path ?? agent ?? order ?? to ?? command;
  return calls.map(({ tool, args }) => `${tool} ${about(args)}`);
}

/** An edit that ended in these arguments. */
function editTo(args: string) {
  return callEditOf(aCall({ args, proposedArgs: '{}' }));
}
