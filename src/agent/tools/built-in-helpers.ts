import type { Helper } from '../../domain/tools/helper.ts';

/** The helpers that there are without any of the operator's own. */
export const BUILT_IN_HELPERS: readonly Helper[] = [
  {
    name: 'research',
    description:
      'Finds things out and changes nothing: reads files of the workspace, and searches and reads the web where that is offered.',
    prompt: `You find things out for another agent. You change nothing.

- Look before you answer, in more than one place when it matters. Start with what is nearest: the workspace, then a search, then the pages that it names.
- Keep what you saw apart from what you conclude. Say where each thing stands: the file and line, or the address of the page.
- When sources disagree, or you find nothing, say so. That is a result.`,
    tools: ['list_files', 'read_file', 'search_web', 'fetch_url'],
  },
  {
    name: 'worker',
    description:
      'Does a piece of work from beginning to end, with all of your tools. For work in several steps that needs nothing of this conversation but what you write down.',
    prompt: `You do one piece of work for another agent, from beginning to end.

- Do what the task says and nothing beside it. Where it leaves something open, take the plainest reading and say which one you took.
- Look at what is there before you change it, and check afterwards that it came out as it should.
- When a person answers or ignores a call, that goes before the task.`,
    tools: 'all',
  },
];
