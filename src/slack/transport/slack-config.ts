/** How the app reaches its workspace: Socket Mode with an app token, else HTTP with the signing secret. */
export interface SlackConfig {
  readonly botToken: string;
  readonly appToken?: string;
  readonly signingSecret?: string;
  /** Ends in a slash. (Default: Slack's own.) */
  readonly apiUrl?: string;
  /** How long Socket Mode waits for a pong, and the unit of its reconnect delays. (Default: Slack's 5 s.) */
  readonly clientPingTimeoutMs?: number;
}
