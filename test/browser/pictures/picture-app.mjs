/**
 * Where pictures are taken: the built application with its two examples beside a model server of its own,
 * and pages that look the same on every machine and at every hour.
 */
import { ADMIN_TOKEN, openBrowser, startServer, until } from '../harness.mjs';
import { Candidate } from '../candidate.mjs';
import { Demos } from './demos.mjs';
import { Interview } from './interview.mjs';
import { PictureModel } from './model.mjs';
import { ACKNOWLEDGEMENTS, SCRIPT } from './script.mjs';
import { showFixedMoments } from './fixed-moments.mjs';

/** Glyphs are drawn alike whatever the machine's settings for fonts and colours are. */
export const BROWSER_ARGS = [
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--disable-font-subpixel-positioning',
  '--force-color-profile=srgb',
  '--force-device-scale-factor=1',
];

export class PictureApp {
  /** `withDemos`: also a Telegram and a Notion, which the candidate's page does not need. */
  static async open({ withDemos = false } = {}) {
    const stage = new PictureApp();
    stage.model = await PictureModel.start(ACKNOWLEDGEMENTS);
    try {
      if (withDemos) stage.demos = await Demos.open();
      stage.server = await startServer({
        ...settingsWith(stage.model),
        TELEGRAM_BOT_NAME: 'harbourline_interviews_bot',
        ...stage.demos?.settings,
      });
      stage.invites = await invitesByLanguage(stage.server);
      stage.demos?.connect(stage.base, stage.invites);
      stage.browser = await openBrowser(BROWSER_ARGS);
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  get base() {
    return this.server.base;
  }

  /** A new visitor, on a phone or at a desk, and the interview that belongs to this browser. */
  async enter(language, device) {
    const context = await this.browser.newContext({ ...device, ...visitorOf(language) });
    await context.addInitScript(showFixedMoments);
    const page = await context.newPage();
    const invite = this.invites[language];
    const candidate = new Candidate(page, this.base, invite, language);
    const interview = new Interview(context.request, this.base, language);
    const token = invite.replace('/i/', '');
    return { stage: this, language, page, candidate, interview, token, script: SCRIPT[language] };
  }

  async close() {
    await this.browser?.close();
    await this.model.close();
    await this.server?.close();
    await this.demos?.close();
  }
}

/** An answer stays open until it is said to be complete. */
const LONG_S = '600';

export function settingsWith(model) {
  return {
    ADMIN_TOKEN,
    OPENAI_API_KEY: 'of-the-pictures',
    OPENAI_BASE_URL: model.baseUrl,
    INTERVIEW_BUFFER_LEARNING: 'false',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: LONG_S,
    INTERVIEW_BUFFER_MAX_WAIT: LONG_S,
    RATE_LIMIT_PER_MINUTE: '100000',
    RATE_LIMIT_OF_KEY_PER_MINUTE: '100000',
  };
}

export function visitorOf(language) {
  return {
    locale: { en: 'en-US', ru: 'ru-RU' }[language],
    timezoneId: 'Europe/Lisbon',
    reducedMotion: 'reduce',
  };
}

async function invitesByLanguage(server) {
  const links = await until('the links of both examples', () => {
    const all = new Set(server.output().match(/\/i\/[\w-]{10,}/g));
    return all.size >= 2 && [...all];
  });
  const invites = {};
  for (const link of links) {
    const invite = await fetch(`${server.base}/api/v1/invites/${link.replace('/i/', '')}`);
    invites[(await invite.json()).language] = link;
  }
  return invites;
}
