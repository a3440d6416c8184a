const SECTIONS = [
  [
    'Ask',
    'You write in the thread. The agent reads your message and the turns before it, and decides what it needs. Reading files needs no approval; everything that changes something does.',
  ],
  [
    'Card',
    'For each call a card appears below your message. It starts with facts from the app: what would run, who asked, and the deadline. Then come the arguments, as data, and last the agent’s own words, marked as such.',
  ],
  [
    'Decide',
    'You click one of four buttons. They also work on a phone. A second click changes nothing and tells you who decided first.',
  ],
  [
    'Run',
    'The call runs with exactly the bytes that you saw. Their digest is computed when the card is drawn, and again right before the run. If the two differ, nothing runs.',
  ],
  [
    'Continue',
    'The agent gets the actual outcome: done, failed, answered, ignored, expired or unknown. Then it continues, and the next card may follow.',
  ],
] as const;

const QUESTIONS = [
  [
    'What if nobody decides?',
    'The card expires at its deadline. The agent is told that nobody decided, which is not a denial.',
  ],
  [
    'What if I change the arguments?',
    'The old buttons stop working. Your arguments are checked against the tool’s schema and used for the run. The agent is told about them.',
  ],
  [
    'What if the app stops in the middle?',
    'The card still works after the restart. If a tool was running and it is unknown whether it finished, the app asks people. It never guesses.',
  ],
  [
    'What if five calls come at once?',
    'Each has its own card and its own decision. The one that you approve runs at once; the others wait for theirs.',
  ],
  [
    'What if the text of a file tells the agent to approve something?',
    'It is only text. A decision is made only when an authorized person clicks a button.',
  ],
  [
    'Who may decide?',
    'Without a policy, only the person who asked. Others who click get a private message that says so.',
  ],
] as const;

const EXAMPLE = `\`\`\`json
{
  "tool": "write_file",
  "args": {
    "path": "haiku.txt",
    "content": "A card in the thread\\nwaits for one press of a thumb\\nthen the work goes on"
  },
  "digest": "sha256 over exactly these bytes"
}
\`\`\``;

const TABLE = `| You press | What runs | What the agent is told |
|---|---|---|
| Approve | the call as shown | its result |
| Edit | the call with your arguments | its result, and your arguments |
| Reply | nothing | your answer |
| Ignore | nothing | that the turn is over |`;

/**
 * A long Markdown answer with a table, lists, code and links, to demonstrate how such answers
 * arrive.
 */
export const LONG_ANSWER = [
  '# How a call becomes work',
  'This answer is scripted and long on purpose. It shows how headings, tables, lists, code and long text appear in the thread. What it says about this app is true.',
  '## The five steps',
  ...SECTIONS.map(([name, words], index) => `${index + 1}. **${name}.** ${words}`),
  '## The four buttons',
  TABLE,
  'The *Edit* modal is a form generated from the tool’s schema; an untouched form changes nothing. The *Reply* modal has one field for your answer.',
  '## What a call looks like inside',
  EXAMPLE,
  'The arguments are written in canonical JSON ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)), so equal arguments have equal digests.',
  '## Common questions',
  ...QUESTIONS.map(([question, answer]) => `### ${question}\n\n${answer}`),
  '## Try it',
  `Each of these creates cards, and each approved card changes real files:

- write one file, and change its text in the modal before you approve it;
- write three files at once, and decide them in any order;
- delete everything, and click *Ignore*: nothing is deleted;
- click a button as somebody else, with “Act as” at the top: you are told why nothing happens;
- write to the agent while a card is pending: your message becomes the answer to it.`,
  '## What a card never does',
  `- It never asks you to approve what you have not seen. Arguments that don’t fit are opened first, and the approve button comes after their last page.
- It never treats names, links or mentions in the agent’s words as Slack markup. They are shown as plain text.
- It never stores state in Slack. A button carries an id, an attempt and the start of a digest; everything else is read from the app’s own store when you click.
- It never loses a decision. Each one is an entry in the audit, which detects later changes.`,
  '## The path of a decision',
  `1. Slack sends the click, as a signed request or over a socket that the app opened.
2. The app checks team, channel, message and person, and answers within Slack’s limit of three seconds.
3. One conditional write in the store makes the decision. If two people click at the same moment, one is first, and the other is told who.
4. The process that got the click runs the call. First it claims the call, so that no other process runs it, and checks again that the approvers still have the right to approve.
5. The card is redrawn from the stored state: first the verdict, then the result.
6. The agent continues with the outcome, and its next message or card appears below.

Each step can be repeated safely. A lost answer, a retried delivery or a restart in between does not change the result.`,
  '## Rules that always apply',
  `> What you see is what runs. Nothing runs twice. Only authorized people decide. Silence is not a verdict. Every click gets an answer.

These five sentences are promises, and tests check each of them. The developer panel shows the requests and responses between Slack and the app: \`chat.postMessage\` for the card, \`block_actions\` for your click, \`chat.update\` for the verdict.`,
  `With tokens, the same app joins a real workspace:

\`\`\`sh
SLACK_BOT_TOKEN=… SLACK_APP_TOKEN=… OPENAI_API_KEY=… npm start
\`\`\`

That was the long answer.`,
].join('\n\n');
