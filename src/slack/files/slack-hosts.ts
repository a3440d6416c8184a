const SLACK_API = 'https://slack.com/api/';

/** Returns whether a URL may receive the bot’s token: the Web API’s host, or an https subdomain of it or of slack.com. */
export function isSlackUrl(address: string, apiUrl = SLACK_API): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, host, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  const api = new URL(apiUrl);
  if (protocol === api.protocol && host === api.host) return true;
  if (protocol !== 'https:' || host !== hostname) return false;
  return [new URL(SLACK_API).hostname, api.hostname].some((own) => hostname.endsWith(`.${own}`));
}
