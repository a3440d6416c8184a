/** What is wrong with the environment beyond single variables. */

type Environment = Readonly<Record<string, string | undefined>>;

const EXACT = [
  ...['APPROVER_JWT_SECRET', 'APPROVER_JWT_AUDIENCE', 'APPROVER_JWT_ISSUER', 'DATA_DIR', 'GRAPH'],
  ...['MCP_CONFIG', 'POLICY_FILE', 'TOOLS_MODULE', 'WORKSPACE_DIR'],
];

/** Lists values of which nobody could tell whether the white space around them belongs to them. */
export function exactProblems(environment: Environment): string[] {
  return EXACT.filter((name) => {
    const value = environment[name] ?? '';
    return value.trim() !== '' && value.trim() !== value;
  }).map((name) => `${name} begins or ends with white space. Remove it.`);
}

/** Lists what is missing of the tokens of Slack. */
export function tokenProblems(env: Environment): string[] {
  const { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, SLACK_SIGNING_SECRET: secret } = env;
  if (!bot) {
    if (!app && !secret) return [];
    const given = app ? 'SLACK_APP_TOKEN' : 'SLACK_SIGNING_SECRET';
    return [
      `SLACK_BOT_TOKEN is missing while ${given} is set. Add the bot token (xoxb-…), or unset ${given} to start the playground.`,
    ];
  }
  const problems: string[] = [];
  if (!app && !secret) {
    problems.push(
      'SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing while SLACK_BOT_TOKEN is set. Add SLACK_APP_TOKEN (xapp-…) for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.',
    );
  }
  return problems;
}
