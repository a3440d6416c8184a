/** Escapes a text for mrkdwn, so that nothing in it is a mention, a link or an entity. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Reads Slack's entities back: `&lt;`, `&gt;`, `&amp;`, in one pass. */
export function unescapeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/** Writes the mention of a user; an id that is none is written as text. */
export function mention(user: string): string {
  return /^[A-Z0-9]{1,40}$/.test(user) ? `<@${user}>` : escapeMrkdwn(user);
}

/** Writes a time in the reader's own zone. https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
export function dateText(atMs: number, format = '{date_short_pretty} at {time}'): string {
  const fallback = `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(atMs / 1000)}^${format}|${fallback}>`;
}

const OUR_MARKUP = /<(?:@[A-Z0-9]+|#[A-Z0-9]+|!date\^[^<>]+|https:\/\/[^<>\s]+)>/g;

/** Makes a notice of ours safe: mentions of people and channels, dates and links stay, the rest is text. */
export function toNotice(text: string): string {
  const kept = text.match(OUR_MARKUP) ?? [];
  const parts = text.split(OUR_MARKUP).map((part) =>
    part
      .replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  );
  return parts.map((part, i) => part + (kept[i] ?? '')).join('');
}

const LIVE_MARKUP = /<(?=@[A-Z0-9]|#[A-Z0-9]|!(?:channel|here|everyone|subteam|date)\b)/gi;

/** Takes the life out of mentions in the agent's Markdown: a word joiner breaks the markup, the look stays. */
export function defuseMarkdown(text: string): string {
  return text.replace(LIVE_MARKUP, '<\u2060');
}
