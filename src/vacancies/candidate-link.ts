/** The address that a candidate opens: `publicUrl`, or this machine's own while it is empty. */
export function candidateLink(http: { publicUrl: string; port: number }, token: string): string {
  const base = http.publicUrl === '' ? `http://localhost:${String(http.port)}` : http.publicUrl;
  return `${base}/i/${token}`;
}

/** The address that opens the bot with the token. */
export function telegramLink(botName: string, token: string): string {
  return `https://t.me/${botName}?start=${token}`;
}
