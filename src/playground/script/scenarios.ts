import { describeCallEnds } from './describe-results.ts';
import { LONG_ANSWER } from './long-answer.ts';
import type { ConversationTurn, EndedCall } from './read-conversation.ts';
import {
  callThenDescribe,
  type Scenario,
  type ScriptedAnswer,
  type ScriptedCall,
} from './scenario.ts';
import { SHOP_SCENARIOS } from './shop-scenarios.ts';

const HAIKU = 'A card in the thread\nwaits for one press of a thumb\nthen the work goes on\n';
const GREETING = 'Hello, team!\n\nThe next release is on Thursday.\n';
const AGENDA = '# Agenda\n\n1. What waits for a decision\n2. What was decided\n3. Coffee\n';
const CASUAL = 'Hello, team!';
const FORMAL = 'Good morning, colleagues.';
const MAX_DELETED = 5;

/** All scenarios of the scripted model, in the order in which they are suggested. */
export const SCENARIOS: readonly Scenario[] = [
  ...SHOP_SCENARIOS,
  {
    label: 'Write a file',
    text: 'Write a haiku about approvals to haiku.txt',
    means: /haiku/i,
    next: callThenDescribe(
      'I’ll write a haiku to `haiku.txt`. It changes a file, so a person decides first.',
      [write('haiku.txt', HAIKU)],
      'The haiku is written.',
    ),
  },
  {
    label: 'Two calls at once',
    text: 'Prepare the release: write the notes and the checklist',
    means: /release|checklist/i,
    next: callThenDescribe(
      'I’ll write two files for the release. Each has its own card.',
      [
        write('release/notes.md', '# Release notes\n\n- Calls are countersigned on cards.\n'),
        write('release/checklist.md', '# Checklist\n\n- [ ] Tests pass\n- [ ] Notes are read\n'),
      ],
      'The release is prepared.',
    ),
  },
  {
    label: 'Three calls at once',
    text: 'Plan the week: one file each for Monday, Tuesday and Wednesday',
    means: /\bweek\b|monday/i,
    next: callThenDescribe(
      'I’ll write one file for each day. Decide them in any order: each one runs as soon as it is approved.',
      ['monday', 'tuesday', 'wednesday'].map((day) =>
        write(`week/${day}.md`, `# ${day}\n\n- One thing that matters\n`),
      ),
      'The week is planned.',
    ),
  },
  {
    label: 'Change a file',
    text: 'Switch the greeting in greeting.txt between casual and formal',
    means: /greeting/i,
    next: switchGreeting,
  },
  {
    label: 'Correct an error',
    text: 'Read the agenda in agenda.md',
    means: /agenda/i,
    next: readAgenda,
  },
  {
    label: 'Delete files',
    text: 'Delete all files in the workspace',
    means: /\b(?:delete|remove|clean)\b/i,
    next: deleteFiles,
  },
  {
    label: 'Send a file',
    text: 'Send me haiku.txt as a file',
    means: /\bsend\b/i,
    next: sendHaiku,
  },
  {
    label: 'Helpers at once',
    text: 'Let two helpers work at once',
    means: /\bhelpers?\b/i,
    next: callThenDescribe(
      'I’ll give two helpers one task each. They work at the same time, and their cards say that a helper asks.',
      [
        task('worker', 'Write a haiku about approvals to haiku.txt'),
        task('worker', 'Prepare the release: write the notes and the checklist'),
      ],
      'Both helpers are done.',
    ),
  },
  {
    label: 'A long answer',
    text: 'Give me a long answer about how approvals work',
    means: /\blong\b/i,
    next: () => ({ words: LONG_ANSWER }),
  },
];

function write(path: string, content: string): ScriptedCall {
  return { tool: 'write_file', args: { path, content } };
}

function task(agent: string, prompt: string): ScriptedCall {
  return { tool: 'task', args: { agent, prompt } };
}

function isMissing({ end, path }: EndedCall): boolean {
  return end.kind === 'failed' && end.text.includes(`No such file: ${path}.`);
}

function switchGreeting({ rounds }: ConversationTurn): ScriptedAnswer {
  const [last, ...others] = rounds.at(-1) ?? [];
  if (!last) return readFirst('greeting.txt');
  if (last.tool === 'read_file' && isMissing(last)) {
    const calls = [write('greeting.txt', GREETING)];
    return { words: 'There is no `greeting.txt` yet. I’ll write it first, then change it.', calls };
  }
  if (last.tool === 'edit_file' || last.end.kind !== 'ran') {
    return { words: describeCallEnds([last, ...others], 'The greeting is switched.') };
  }
  // The text may have been edited on its card, so read the file again.
  return last.tool === 'write_file' ? readFirst('greeting.txt') : editGreeting(last.end.text);
}

function readFirst(path: string): ScriptedAnswer {
  return {
    words: `I’ll read \`${path}\`. Reading needs no approval.`,
    calls: [{ tool: 'read_file', args: { path } }],
  };
}

function editGreeting(text: string): ScriptedAnswer {
  const [oldText, newText] = text.includes(CASUAL) ? [CASUAL, FORMAL] : [FORMAL, CASUAL];
  if (!text.includes(oldText)) {
    const words = `\`greeting.txt\` holds neither “${CASUAL}” nor “${FORMAL}”, and this script knows no other greetings. I leave it as it is.`;
    return { words };
  }
  return {
    words: `I’ll change “${oldText}” to “${newText}”. The card shows the difference.`,
    calls: [{ tool: 'edit_file', args: { path: 'greeting.txt', oldText, newText } }],
  };
}

function sendHaiku({ rounds }: ConversationTurn): ScriptedAnswer {
  const [last] = rounds.at(-1) ?? [];
  if (!last) return readFirst('haiku.txt');
  if (last.tool === 'send_file') return { words: describeCallEnds([last], 'There it is.') };
  if (isMissing(last)) {
    const calls = [write('haiku.txt', HAIKU)];
    return { words: 'There is no `haiku.txt` yet. I’ll write it first, then send it.', calls };
  }
  if (last.end.kind !== 'ran') return { words: describeCallEnds([last], '') };
  return {
    words: 'I’ll send `haiku.txt` into this thread. The card shows what would be sent.',
    calls: [{ tool: 'send_file', args: { path: 'haiku.txt' } }],
  };
}

/** Shows an attached file if the message starts no scenario. */
export function readAttached({ attached, rounds }: ConversationTurn): ScriptedAnswer {
  const [path = ''] = attached;
  const [last] = rounds.at(-1) ?? [];
  if (!last) return readFirst(path);
  return {
    words: last.end.kind === 'ran' ? showFile(path, last.end.text) : describeCallEnds([last], ''),
  };
}

function readAgenda({ rounds }: ConversationTurn): ScriptedAnswer {
  const [last] = rounds.at(-1) ?? [];
  if (!last) return readFirst('agenda.md');
  if (last.tool === 'write_file')
    return { words: describeCallEnds([last], 'Now there is an agenda.') };
  if (isMissing(last)) {
    const words = 'Reading failed: there is no `agenda.md`. I’ll write one instead.';
    return { words, calls: [write('agenda.md', AGENDA)] };
  }
  if (last.end.kind !== 'ran') return { words: describeCallEnds([last], '') };
  return { words: showFile('agenda.md', last.end.text) };
}

function showFile(path: string, text: string): string {
  const preview = text.slice(0, 2_000).replaceAll('```', '` ` `');
  return `\`${path}\` holds:\n\n\`\`\`\n${preview}\n\`\`\``;
}

function deleteFiles({ said, rounds }: ConversationTurn): ScriptedAnswer {
  const ended = rounds.at(-1);
  const [listing] = ended ?? [];
  if (!ended || !listing) {
    const calls = [{ tool: 'list_files', args: { path: '.', recursive: true } }];
    return { words: 'I’ll list the files first.', calls };
  }
  if (listing.tool !== 'list_files') return { words: describeCallEnds(ended, 'They are gone.') };
  if (listing.end.kind !== 'ran') return { words: describeCallEnds(ended, '') };
  const paths = listing.end.text.split('\n').flatMap((line) => FILE.exec(line)?.[1] ?? []);
  return deleteSome(paths, said);
}

function deleteSome(paths: readonly string[], said: string): ScriptedAnswer {
  if (paths.length === 0) {
    return { words: 'The workspace has no files, so there is nothing to delete.' };
  }
  const words = said.split(/[\s,;:"'`“”]+/);
  const named = paths.filter((path) => words.includes(path));
  if (named.length === 0 && !/\b(?:all|every|everything)\b/i.test(said)) {
    const list = paths.map((path) => `- \`${path}\``).join('\n');
    return { words: `I don’t know which ones. Name some of these, or write “all”:\n\n${list}` };
  }
  const meant = named.length > 0 ? named : paths;
  const chosen = meant.slice(0, MAX_DELETED);
  const left = meant.length - chosen.length;
  const rest = left === 0 ? '' : ` Ask again for the other ${left}.`;
  return {
    words: `I’ll delete ${chosen.map((path) => `\`${path}\``).join(', ')}.${rest} Ignoring one card ends the turn; files not approved by then stay.`,
    calls: chosen.map((path) => ({ tool: 'delete_file', args: { path } })),
  };
}

/** Matches a file in the output of `list_files`. */
const FILE = /^(.+) \(\d+ bytes\)$/;
