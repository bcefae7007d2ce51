import { type TestApp, startTestApp } from '../../support/app';
import type { TestCandidate } from '../../support/candidate';
import { ModelServer } from '../../../tools/fake-model/model-server';
import { ADMIN_TOKEN } from '../../support/secrets';

/** The most bytes that a file may have here. */
export const LIMIT = 600_000;

/** The application with a model, its candidates who send files, and recruiters who read them. */
export class FilesStage {
  private constructor(
    readonly app: TestApp,
    readonly model: ModelServer,
  ) {}

  static async open(): Promise<FilesStage> {
    const model = await ModelServer.start();
    const app = await startTestApp({
      env: {
        OPENAI_API_KEY: 'test',
        OPENAI_BASE_URL: model.baseUrl,
        INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.3',
        INTERVIEW_MAX_FILE_BYTES: String(LIMIT),
        INTERVIEW_MAX_AUDIO_BYTES: '2000000',
        ADMIN_TOKEN,
      },
    });
    return new FilesStage(app, model);
  }

  /** The message's id. */
  async sent(candidate: TestCandidate, bytes: Buffer, name?: string): Promise<string> {
    const response = await candidate.attach('f1', bytes, name === undefined ? {} : { name });
    expect(response.status).toBe(202);
    return ((await response.json()) as { messageId: string }).messageId;
  }

  read(candidate: TestCandidate, messageId: string): Promise<Response> {
    return candidate.get(`/api/v1/conversation/files/${messageId}`);
  }

  admin(path: string, token = ADMIN_TOKEN): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${this.app.url}/api/v1/admin/conversations/${path}`, { headers });
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.model.close();
  }
}

export async function problemOf(response: Response): Promise<{ status: number; code: string }> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const { status, code } = (await response.json()) as { status: number; code: string };
  expect(status).toBe(response.status);
  return { status, code };
}

/** A PDF of so many bytes, none of which stands where it could be mistaken for another. */
export function largePdf(size: number): Buffer {
  const bytes = Buffer.alloc(size, '%PDF-1.7\n');
  for (let at = 16; at + 4 <= size; at += 1024) bytes.writeUInt32LE(at, at);
  return bytes;
}
