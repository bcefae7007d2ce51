/**
 * Where pictures of the console are taken: for each language the built application with a team and its interviews, and
 * pages of the first admin. Every picture is the same each time: the data are, and the page's clock stands still some
 * hours after they were made.
 */
import { openBrowser, startServer } from '../harness.mjs';
import { makeTeam, moveIntoThePast } from './console-data.mjs';
import { OPEN_QUESTIONS } from './console-script.mjs';
import { showOneMorning } from './fixed-moments.mjs';
import { PictureModel } from './model.mjs';
import { BROWSER_ARGS, settingsWith, visitorOf } from './picture-app.mjs';
import { ACKNOWLEDGEMENTS } from './script.mjs';

const MINUTE_MS = 60_000;
/** After the beginning; what was made in between is "2 hours ago". */
const PAGE_CLOCK_MS = 150 * MINUTE_MS;

export class ConsoleApp {
  #teams = {};

  static async open({ languages }) {
    const stage = new ConsoleApp();
    stage.model = await PictureModel.start([...OPEN_QUESTIONS, ...ACKNOWLEDGEMENTS]);
    try {
      stage.browser = await openBrowser(BROWSER_ARGS);
      // All of them end before one that failed ends the stage.
      const opened = await Promise.allSettled(languages.map((one) => stage.#openTeam(one)));
      const failed = opened.find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  /** A page of the admin, and the team that it belongs to. */
  async enter(language, device) {
    const { server, beganAt, ...team } = this.#teams[language];
    const { storageState } = team;
    const context = await this.browser.newContext({
      ...device,
      ...visitorOf(language),
      storageState,
    });
    const now = beganAt + PAGE_CLOCK_MS;
    await context.addInitScript(showOneMorning, { beganAt, now });
    const page = await context.newPage();
    return { page, language, base: server.base, ...team };
  }

  async close() {
    await this.browser?.close();
    await Promise.all(Object.values(this.#teams).map(({ server }) => server.close()));
    await this.model.close();
  }

  async #openTeam(language) {
    const server = await startServer(settingsWith(this.model));
    this.#teams[language] = { server };
    const beganAt = Date.now() - MINUTE_MS;
    const team = await makeTeam(server, language);
    await moveIntoThePast(server, team, beganAt + PAGE_CLOCK_MS);
    this.#teams[language] = { server, beganAt, ...team };
  }
}
