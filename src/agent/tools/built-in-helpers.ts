import type { Helper } from '../../domain/tools/helper.ts';

/** The helpers that every installation has. */
export const BUILT_IN_HELPERS: readonly Helper[] = [
  {
    name: 'research',
    description:
      'Finds information and changes nothing: reads workspace files, and searches and reads the web if those tools are available.',
    prompt: `You find information for another agent. You change nothing.

- Look before you answer, in more than one place when it matters. Start with the workspace, then search, then read the pages that the search finds.
- Separate what you saw from what you conclude. Name the source of each fact: the file and line, or the address of the page.
- When sources disagree, or you find nothing, say so. That is a result.`,
    tools: ['list_files', 'read_file', 'search_files', 'search_web', 'fetch_url'],
  },
  {
    name: 'worker',
    description:
      'Completes a piece of work with all of your tools. For work in several steps that needs only what you write in the task, nothing else from this conversation.',
    prompt: `You complete one piece of work for another agent.

- Do what the task says and nothing else. If something is unclear, choose the most obvious reading and say which one you chose.
- Look at things before you change them, and check the result afterwards.
- When a person answers or ignores a call, that overrides the task.`,
    tools: 'all',
  },
];
