/** Slack’s limits that matter to the app, each with its source. */
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
  /** https://docs.slack.dev/reference/block-kit/blocks/markdown-block: sum over one message. */
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

/** Our own limits, below Slack’s: cards fit on a phone and forms stay fast. */
export const BUDGET = {
  /** Characters in a row of a card on a phone. */
  cardRow: 40,
  /** Rows of preview and arguments together; the buttons stay on a phone’s first screen. */
  cardRows: 18,
  argumentRows: 8,
  /** Argument rows per call on a shared card, and of all its calls together. */
  sharedCallRows: 8,
  sharedRows: 60,
  previewRows: 12,
  cardPieces: 10,
  /** Rows in a form, which people scroll. */
  formRows: 150,
  formPieceRows: 70,
  words: 200,
  /** A question of an MCP server, which people have to read to answer. */
  question: 1_500,
  /** A quoted line. It must not push our own facts off a phone’s screen. */
  askedLine: 100,
  outcome: 600,
  /** The subject of an external call on a settled card. */
  about: 80,
  /** All changes of an edit together. */
  edit: 900,
  note: 300,
  reason: 300,
  name: 80,
  pagePiece: 2_800,
  pageCharacters: 9_000,
  pagePieces: 30,
  /** Inputs on one page of a form. */
  formFields: 30,
  /** Blocks on one page; Slack’s limit is 100. */
  formBlocks: 80,
  /** Fields of a whole form; the rest of the arguments is edited as JSON. */
  formPlaces: 400,
  /** Characters of one page; Slack refuses views above 250,000 bytes. */
  formCharacters: 60_000,
  /** Entries of a list or record that get their own fields. */
  formEntries: 60,
  fieldError: 300,
  /** Calls on one page of Home: waiting for the person, and requested by them. */
  homeWaiting: 8,
  homeAsked: 8,
  /** Lines of the other lists on Home. */
  homeList: 15,
  answerPart: 11_000,
  /** Characters of an answer that a live message shows. */
  growingText: 10_000,
  growingTasks: 10,
  /** Size of the pieces of an answer part that is too long for Slack. */
  answerPiece: 3_500,
} as const;
