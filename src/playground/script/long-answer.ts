const SECTIONS = [
  [
    'Ask',
    'You write in the thread. The agent reads your message with the turns before it and thinks about what it needs. Reading files needs nobody; everything that changes something does.',
  ],
  [
    'Card',
    'For each call a card appears under your message. It shows our own facts first: what would run, who asked, until when somebody may decide. Then come the arguments, as data, and last the agent’s own words, marked as its own.',
  ],
  [
    'Decide',
    'You press one of four buttons. They work from a phone, and a second press changes nothing: it tells you who was first.',
  ],
  [
    'Run',
    'The call runs with exactly the bytes that you saw. Their digest was taken when the card was drawn, and it is taken once more right before the run. If the two differ, nothing runs.',
  ],
  [
    'Carry on',
    'The agent is told what happened, in words that don’t pretend: done, failed, answered, ignored, expired or unknown. Then it goes on, and the next card may follow.',
  ],
] as const;

const QUESTIONS = [
  [
    'What if nobody decides?',
    'The card expires at its deadline. The agent learns that nobody decided, which is not the same as a no.',
  ],
  [
    'What if I change the arguments?',
    'The old buttons die, the new arguments are checked by the tool’s own schema, and the run uses yours. The agent is told which ones.',
  ],
  [
    'What if the app stops in the middle?',
    'The card is still there when it is back. If a tool was running at that moment and nobody can know whether it finished, people are asked; it is never guessed.',
  ],
  [
    'What if five calls come at once?',
    'Each has its own card and its own decision. The one that you approve runs at once, while the others wait for theirs.',
  ],
  [
    'What if the text of a file tells the agent to approve something?',
    'Then it is still the text of a file. Only a press of a button by a person who may decide is a decision.',
  ],
  [
    'Who may press?',
    'Without a policy it is the person who asked, and nobody else. Others who press are told so, and only they see it.',
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
| Reply | nothing | your words |
| Ignore | nothing | that the turn is over |`;

/**
 * A long Markdown answer with a table, lists, code and links, to demonstrate how such answers
 * arrive.
 */
export const LONG_ANSWER = [
  '# How a call becomes work',
  'This answer is scripted and long on purpose: it shows how headings, tables, lists, code and many words arrive in the thread. What it says is true of this app.',
  '## The five steps',
  ...SECTIONS.map(([name, words], index) => `${index + 1}. **${name}.** ${words}`),
  '## The four buttons',
  TABLE,
  'The *Edit* modal is a form made from the tool’s schema; an untouched form changes nothing. The *Reply* modal is one field for your words.',
  '## What a call looks like inside',
  EXAMPLE,
  'The arguments are written in one canonical way ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)), so that equal arguments have equal digests.',
  '## Questions that come up',
  ...QUESTIONS.map(([question, answer]) => `### ${question}\n\n${answer}`),
  '## Try it',
  `Each of these makes cards, and each card changes a real file if you approve it:

- write one file, and change its text in the modal before it is written;
- write three files at once, and decide them in any order you like;
- delete everything, and press *Ignore*: nothing is gone;
- press a button as somebody else, from the menu of people: you are told why it does nothing;
- write to the agent while a card waits, and see your words become the answer to it.`,
  '## What the card never does',
  `- It never shows a part and asks for the whole: arguments that don’t fit are opened first, and the button to approve stands behind their last page.
- It never lets a name, a link or a mention in the agent’s words do what such things do in Slack: they are shown as text.
- It never keeps anything in Slack that the app must know later. A button carries an id, an attempt and the beginning of a digest; all the rest is read from the app’s own store when you press.
- It never forgets: every decision is a line in a chain of records, each with the hash of the one before it, so that a line that was changed later is noticed.`,
  '## What a decision travels through',
  `1. Slack sends the press, signed or over a socket that the app opened itself.
2. The app checks team, channel, message and person, and answers within the three seconds that Slack allows.
3. One conditional write in the store makes the decision. Of two people who press in the same instant, one is first, and the other one is told who.
4. The process that took the press runs the call. Before it does, it claims it, so that no other process can, and checks once more that the people who approved may still do so.
5. The card is drawn anew from what is stored: first the verdict, then the result.
6. The agent is woken with the outcome, and its next words, or its next card, appear below.

Each of these steps can be repeated without harm, which is why a lost answer, a retried delivery or a restart in between changes nothing about the end.`,
  '## Rules that hold everywhere',
  `> What you see is what runs. Nothing runs twice. Only those who may decide, decide. Silence is not a verdict. Every click answers.

These five sentences are promises, and each of them has tests that fail when it is broken. The panel beside this thread shows the requests and answers that passed between Slack and the app while you read this: \`chat.postMessage\` for the card, \`block_actions\` for your press, \`chat.update\` for the verdict.`,
  `The same app joins a real workspace when it is given tokens:

\`\`\`sh
SLACK_BOT_TOKEN=… SLACK_APP_TOKEN=… OPENAI_API_KEY=… npm start
\`\`\`

That was the long answer.`,
].join('\n\n');
