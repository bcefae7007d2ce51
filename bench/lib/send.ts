import { randomUUID } from 'node:crypto';

/** Sends a candidate's message; false when the server has no capacity for it. */
export async function sendMessage(url: string, token: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/conversation/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: randomUUID(), text: 'Rye.' }),
  });
  await response.arrayBuffer();
  if (response.status !== 202 && response.status !== 503) {
    throw new Error(`message: ${response.status}`);
  }
  return response.status === 202;
}
