/** Slack's limits as far as the app comes near them; each with its source in Slack's reference. */
export const LIMITS = {
  /** https://docs.slack.dev/reference/block-kit/blocks */
  messageBlocks: 50,
  /** https://docs.slack.dev/reference/views/modal-views */
  viewBlocks: 100,
  /** Undocumented: messages fail at about 12,000 to 13,200 characters with `msg_blocks_too_long`. */
  messageCharacters: 10_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/header-block */
  headerText: 150,
  /** https://docs.slack.dev/reference/block-kit/blocks/section-block */
  sectionText: 3_000,
  fieldText: 2_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/context-block */
  contextElements: 10,
  /** https://docs.slack.dev/reference/block-kit/blocks/markdown-block: all of one message together. */
  markdownText: 12_000,
  /** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
  buttonText: 75,
  buttonValue: 2_000,
  /** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
  optionText: 75,
  selectOptions: 100,
  /** https://docs.slack.dev/reference/block-kit/block-elements/checkboxes-element */
  boxes: 10,
  /** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
  inputText: 3_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/input-block */
  inputLabel: 2_000,
  /** https://docs.slack.dev/reference/views/modal-views */
  viewTitle: 24,
  /** https://docs.slack.dev/reference/views/home-tab-views */
  viewMetadata: 3_000,
  /** https://docs.slack.dev/reference/block-kit/blocks#block_id */
  id: 255,
} as const;

/** What the app keeps to within Slack's limits, so that a card fits a phone and a form stays quick. */
export const BUDGET = {
  /** A row of a card on a phone takes as much text. */
  cardRow: 40,
  /** Rows of the preview and of all arguments together, so that the buttons stay on the first screen of a phone. */
  cardRows: 18,
  argumentRows: 8,
  /** Rows of the arguments of one call among several on a card, and of all of them together. */
  sharedCallRows: 8,
  sharedRows: 60,
  previewRows: 12,
  cardPieces: 10,
  /** The same in a form, which people scroll. */
  formRows: 150,
  formPieceRows: 70,
  words: 200,
  /** What an MCP server asks: people answer by it. */
  question: 1_500,
  /** A line that is quoted beside our facts: it must not push them off a phone's screen. */
  askedLine: 100,
  outcome: 600,
  /** What a settled card says of what a third party's call was about. */
  about: 80,
  /** All differences that an edit made together. */
  edit: 900,
  note: 300,
  reason: 300,
  name: 80,
  pagePiece: 2_800,
  pageCharacters: 9_000,
  pagePieces: 30,
  /** Inputs on one page of a form. */
  formFields: 30,
  /** Blocks on one page, of Slack's hundred. */
  formBlocks: 80,
  /** Places of a whole form with fields of their own; what comes after them is written as JSON. */
  formPlaces: 400,
  /** Text of one page as it is sent; Slack refuses views of more than 250,000 bytes. */
  formCharacters: 60_000,
  /** Entries of a list or record with fields of their own. */
  formEntries: 60,
  fieldError: 300,
  /** Calls on one page of what waits for a person, and of what they asked for. */
  homeWaiting: 8,
  homeAsked: 8,
  /** Lines of the other lists. */
  homeList: 15,
  answerPart: 11_000,
  /** What of an answer is shown in one message while it grows. */
  growingText: 10_000,
  growingTasks: 10,
  /** A part of an answer that Slack finds too long is cut into such pieces. */
  answerPiece: 3_500,
} as const;
