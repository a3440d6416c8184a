const SLACK_API = 'https://slack.com/api/';

/** Tells whether an address is Slack's own, so that it may be given the bot's token: below slack.com or the Web API's host by https, or that host itself. */
export function isSlackUrl(address: string, apiUrl = SLACK_API): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, host, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  const api = new URL(apiUrl);
  if (protocol === api.protocol && host === api.host) return true;
  if (protocol !== 'https:' || host !== hostname) return false;
  return [new URL(SLACK_API).hostname, api.hostname].some((own) => hostname.endsWith(`.${own}`));
}
