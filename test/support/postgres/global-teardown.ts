/** Jest's global teardown: stops what global-setup.ts started; of a brought server, only the template goes. */
import { rm } from 'node:fs/promises';
import { asAdmin, templateName } from './admin';
import { runningServer } from './running-server';

export default async function stopServer(): Promise<void> {
  const running = runningServer();
  if (running === undefined) {
    await asAdmin((admin) => admin.query(`drop database if exists ${templateName()} with (force)`));
    return;
  }
  await running.server.stop();
  await rm(running.dataDir, { recursive: true, force: true });
}
