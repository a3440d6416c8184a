import { z } from 'zod';
import { firstLine } from '../../domain/threads/message.ts';
import type { Helper } from '../../domain/tools/helper.ts';
import { type DefinedTool, defineTool } from './define-tool.ts';

const TASK_TOOL = 'task';

/** Makes the tool that gives work to a helper; undefined when there is none. */
export function createTaskTool(helpers: readonly Helper[]): DefinedTool | undefined {
  const [first, ...rest] = helpers.map(({ name }) => name);
  if (first === undefined) return undefined;
  const schema = z.object({
    agent: z.enum([first, ...rest]).describe('Which helper does it'),
    prompt: z
      .string()
      .regex(/\S/, 'Say what the helper is to do.')
      .describe('The whole task, with all that the helper must know and what it is to report'),
  });
  const made = defineTool({
    name: TASK_TOOL,
    description: describe(helpers),
    schema,
    risk: 'low',
    idempotent: true,
    run() {
      throw new Error('A task is done by its helper.');
    },
    summary: ({ agent, prompt }) => `Ask ${agent}: ${firstLine(prompt)}`,
  });
  if (made.kind === 'left-out') return made;
  const delegate: NonNullable<typeof made.tool.delegate> = (args) => schema.parse(args);
  return { kind: 'tool', tool: { ...made.tool, delegate } };
}

function describe(helpers: readonly Helper[]): string {
  return [
    'Gives a piece of work to a helper: another agent with tools of its own, in a thread of its own.',
    'Use it for work that stands by itself, above all for several such pieces: tasks of one message are done at the same time.',
    'A helper sees nothing of this conversation and can’t ask you back, so write down all that it must know. You get its last message as the result, and nothing else; tell the person what matters of it.',
    'A helper’s risky calls wait for people on cards, as yours do. For one call that you could make yourself, call it yourself.',
    'Helpers:',
    ...helpers.map(({ name, description }) => `- ${name}: ${description}`),
  ].join('\n');
}
