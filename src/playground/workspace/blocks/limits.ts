/** A limit of Slack: at least `min` (Default: 0), at most `max` characters or items. */
export interface Limit {
  readonly min?: number;
  readonly max: number;
  /** Where the number comes from, or what breaks without it. */
  readonly why: string;
}

const TYPES = 'documented in @slack/types 3.2';

/** Every number of Slack that a message or a view is held to. https://docs.slack.dev/reference/block-kit */
export const LIMITS = {
  messageBlocks: {
    max: 50,
    why: 'slackapi/bolt-js#2509; block chunks of a stream in @slack/types',
  },
  viewBlocks: { max: 100, why: TYPES },
  messageBlocksText: {
    max: 12_000,
    why: 'undocumented: msg_blocks_too_long from about here on, slackapi/bolt-js#2509 and #2867',
  },
  markdownTotal: { max: 12_000, why: `cumulative in a message: ${TYPES}, slackapi/bolt-js#2867` },
  streamText: { max: 12_000, why: 'per call: docs of chat.appendStream' },
  sectionText: { min: 1, max: 3000, why: TYPES },
  sectionFields: { min: 1, max: 10, why: TYPES },
  sectionField: { min: 1, max: 2000, why: TYPES },
  headerText: { min: 1, max: 150, why: TYPES },
  contextElements: { min: 1, max: 10, why: TYPES },
  contextText: { min: 1, max: 3000, why: 'the text object itself' },
  actionsElements: { min: 1, max: 25, why: TYPES },
  contextActionsElements: { min: 1, max: 5, why: TYPES },
  buttonText: { min: 1, max: 75, why: `${TYPES}; about 30 are shown` },
  buttonValue: { max: 2000, why: TYPES },
  url: { min: 1, max: 3000, why: TYPES },
  accessibilityLabel: { max: 75, why: TYPES },
  actionId: { min: 1, max: 255, why: TYPES },
  blockId: { min: 1, max: 255, why: TYPES },
  callbackId: { max: 255, why: TYPES },
  externalId: { max: 255, why: 'seen by others, unconfirmed by Slack' },
  privateMetadata: { max: 3000, why: TYPES },
  confirmTitle: { min: 1, max: 100, why: TYPES },
  confirmText: { min: 1, max: 300, why: TYPES },
  confirmButton: { min: 1, max: 30, why: TYPES },
  optionText: { min: 1, max: 75, why: TYPES },
  optionDescription: { min: 1, max: 75, why: TYPES },
  optionValue: { max: 150, why: 'two independent lists; @slack/types still says 75' },
  selectOptions: { min: 1, max: 100, why: TYPES },
  optionGroups: { min: 1, max: 100, why: TYPES },
  groupLabel: { min: 1, max: 75, why: TYPES },
  overflowOptions: { min: 1, max: 5, why: TYPES },
  choiceOptions: { min: 1, max: 10, why: `checkboxes and radio buttons: ${TYPES}` },
  placeholder: { min: 1, max: 150, why: 'list of nicklambourne/slackblocks' },
  inputText: { max: 3000, why: `min_length, max_length and initial_value: ${TYPES}` },
  inputLabel: { min: 1, max: 2000, why: TYPES },
  inputHint: { min: 1, max: 2000, why: TYPES },
  maxFiles: { min: 1, max: 10, why: TYPES },
  viewTitle: { min: 1, max: 24, why: TYPES },
  viewButton: { min: 1, max: 24, why: `submit and close: ${TYPES}` },
  tableRows: { min: 1, max: 100, why: 'docs of the table block' },
  tableCells: { min: 1, max: 20, why: 'docs of the table block' },
  tableSettings: { max: 20, why: 'docs of the table block' },
  tableText: { max: 10_000, why: 'seen by others, unconfirmed by Slack' },
  dataTableRows: { min: 2, max: 101, why: 'docs of the data table block, header included' },
  dataTablePage: { min: 1, max: 100, why: TYPES },
  dataTableCaption: { min: 1, max: 3000, why: 'required; the length of a text object' },
  cardTitle: { min: 1, max: 150, why: TYPES },
  cardBody: { min: 1, max: 200, why: TYPES },
  cardActions: { min: 1, max: 3, why: 'list of nicklambourne/slackblocks' },
  carouselCards: { min: 1, max: 10, why: TYPES },
  containerBlocks: { min: 1, max: 10, why: TYPES },
  containerTitle: { min: 1, max: 150, why: TYPES },
  alertText: { min: 1, max: 200, why: 'list of nicklambourne/slackblocks' },
  altText: { min: 1, max: 2000, why: TYPES },
  imageTitle: { min: 1, max: 2000, why: TYPES },
  taskTitle: { min: 1, max: 3000, why: 'the length of a text object' },
  suggestedPrompts: { min: 1, max: 4, why: 'Assistant.setSuggestedPrompts in Bolt' },
  loadingMessages: { max: 10, why: 'docs of assistant.threads.setStatus' },
  modalStack: { max: 3, why: 'docs of views.push' },
} as const satisfies Record<string, Limit>;
