import { z } from 'zod';
import { firstLine } from '../../domain/threads/message.ts';
import type { Helper } from '../../domain/tools/helper.ts';
import { type DefinedTool, defineTool } from './define-tool.ts';

const TASK_TOOL = 'task';

/** Creates the tool that delegates work to a helper; undefined if there are no helpers. */
export function createTaskTool(helpers: readonly Helper[]): DefinedTool | undefined {
  const [first, ...rest] = helpers.map(({ name }) => name);
  if (first === undefined) return undefined;
  const schema = z.object({
    agent: z.enum([first, ...rest]).describe('Which helper does it'),
    prompt: z
      .string()
      .regex(/\S/, 'Describe what the helper should do.')
      .describe('The complete task: everything the helper must know, and what it should report'),
  });
  const made = defineTool({
    name: TASK_TOOL,
    description: describe(helpers),
    schema,
    risk: 'low',
    idempotent: true,
    run() {
      throw new Error('A task is run by its helper, not as a tool.');
    },
    summary: ({ agent, prompt }) => `Ask ${agent}: ${firstLine(prompt)}`,
  });
  if (made.kind === 'left-out') return made;
  const delegate: NonNullable<typeof made.tool.delegate> = (args) => schema.parse(args);
  return { kind: 'tool', tool: { ...made.tool, delegate } };
}

function describe(helpers: readonly Helper[]): string {
  return [
    'Delegates a piece of work to a helper: another agent with its own tools, in its own thread.',
    'Use it for self-contained work, especially for several pieces at once: tasks in one message run in parallel.',
    'A helper does not see this conversation and can’t ask you questions, so write down everything it must know. The result is its last message and nothing else; tell the person what matters.',
    'A helper’s risky calls wait for approval on cards, as yours do. If a single call of your own is enough, make it yourself.',
    'Helpers:',
    ...helpers.map(({ name, description }) => `- ${name}: ${description}`),
  ].join('\n');
}
