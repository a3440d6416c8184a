/** The requests that the messages endpoint of Anthropic rejects with 400. */
export interface AnthropicBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly signature?: string;
}

interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
}

export interface AnthropicRequest {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly max_tokens?: unknown;
  readonly system?: unknown;
  readonly messages: readonly AnthropicMessage[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly input_schema: Readonly<Record<string, unknown>>;
  }[];
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]+$/;

/** Returns why a request is rejected; undefined if it is valid. */
export function anthropicRefusal(request: AnthropicRequest): string | undefined {
  if (typeof request.model !== 'string') return 'model: required';
  if (request.stream !== true) return 'this mock streams only';
  if (!Number.isInteger(request.max_tokens)) return 'max_tokens: required';
  return refusalOfTools(request) ?? refusalOfMessages(request.messages);
}

function refusalOfTools({ tools, messages }: AnthropicRequest): string | undefined {
  const usesTools = messages.some(({ content }) => blocksOf(content).some(isCallOrResult));
  if (usesTools && !tools?.length)
    return 'tools: needed where messages hold tool_use or tool_result';
  const names = (tools ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  for (const { name, input_schema: schema } of tools ?? []) {
    if (!NAME.test(name)) return `tools: the name ${JSON.stringify(name)}`;
    if (schema.type !== 'object') return `tools: input_schema.type of ${name}`;
    if ('anyOf' in schema || 'oneOf' in schema || 'allOf' in schema) {
      return 'tools: input_schema does not support oneOf, allOf, or anyOf at the top level';
    }
  }
  return undefined;
}

function isCallOrResult({ type }: AnthropicBlock): boolean {
  return type === 'tool_use' || type === 'tool_result';
}

function blocksOf(content: AnthropicMessage['content']): readonly AnthropicBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Consecutive messages of one role count as one. */
function mergeTurns(messages: readonly AnthropicMessage[]) {
  const turns: { role: string; blocks: AnthropicBlock[] }[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocksOf(content));
    else turns.push({ role, blocks: [...blocksOf(content)] });
  }
  return turns;
}

function refusalOfMessages(messages: readonly AnthropicMessage[]): string | undefined {
  const turns = mergeTurns(messages);
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  const ids = new Set<string>();
  let owed: readonly string[] = [];
  for (const [index, { role, blocks }] of turns.entries()) {
    const at = `messages.${index}`;
    if (role !== 'user' && role !== 'assistant') return `${at}: the role ${role}`;
    if (blocks.length === 0) return `${at}: content must not be empty`;
    const refusal = blocks.map((block) => refusalOfBlock(role, block)).find(Boolean);
    if (refusal !== undefined) return `${at}: ${refusal}`;
    if (role === 'user') {
      const wrong = refusalOfResults(blocks, owed);
      if (wrong !== undefined) return `${at}: ${wrong}`;
    }
    owed = blocks.flatMap(({ type, id = '' }) => (type === 'tool_use' ? [id] : []));
    for (const id of owed) {
      if (ids.has(id)) return `${at}: \`tool_use\` ids must be unique`;
      ids.add(id);
    }
  }
  return owed.length > 0 ? 'the last tool_use has no tool_result' : undefined;
}

function refusalOfBlock(role: string, block: AnthropicBlock): string | undefined {
  switch (block.type) {
    case 'text':
      return (block.text ?? '').trim() === '' ? 'text content blocks must be non-empty' : undefined;
    case 'tool_use': {
      if (role !== 'assistant') return 'tool_use of a user';
      if (!ID.test(block.id ?? '')) return `tool_use.id ${JSON.stringify(block.id)}`;
      if (!NAME.test(block.name ?? '')) return `tool_use.name ${JSON.stringify(block.name)}`;
      const isObject = block.input instanceof Object && !Array.isArray(block.input);
      return isObject ? undefined : 'tool_use.input: Input should be a valid dictionary';
    }
    case 'tool_result':
      return role === 'user' ? undefined : 'tool_result of an assistant';
    case 'thinking':
      return block.signature ? undefined : 'thinking.signature: required';
    default:
      return `a block of type ${block.type}`;
  }
}

function refusalOfResults(
  blocks: readonly AnthropicBlock[],
  owed: readonly string[],
): string | undefined {
  const count = blocks.findIndex(({ type }) => type !== 'tool_result');
  const results = (count === -1 ? blocks : blocks.slice(0, count)).map((each) => each.tool_use_id);
  if (blocks.filter(({ type }) => type === 'tool_result').length > results.length) {
    return 'tool_result blocks must come first';
  }
  const missing = owed.filter((id) => !results.includes(id));
  if (missing.length > 0) return `tool_use ids without tool_result blocks: ${missing.join(', ')}`;
  if (results.length !== owed.length) return 'a tool_result without its tool_use, or twice';
  return undefined;
}
