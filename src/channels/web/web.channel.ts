import { Module } from '@nestjs/common';
import type { Settings } from '../../common/config';
import { type Channel, ChannelAdapter, type DeliveryPart } from '../../channels';
import { candidateLink } from '../../vacancies';

declare module '../channel' {
  interface ChannelNames {
    web: true;
  }
}

/** The candidate's page. It shows what is stored, so storing a reply delivers it. */
@ChannelAdapter()
export class WebChannel implements Channel {
  readonly name = 'web';
  readonly isOn = true;
  readonly capabilities = { sends: false, holdsMedia: false };

  /** Shorter than elsewhere: the page reports typing, so silence means the end. */
  quietMs({ debounceWebMs }: Settings['buffer']): number {
    return debounceWebMs;
  }

  parts(): readonly DeliveryPart[] {
    return [];
  }

  wholePart(text: string): DeliveryPart {
    return { text, plain: text };
  }

  chatOf(): Promise<null> {
    return Promise.resolve(null);
  }

  linkTo(token: string, { http }: Settings): string {
    return candidateLink(http, token);
  }
}

/** The channel without its page: what a process that serves none needs of it. */
@Module({ providers: [WebChannel] })
export class WebChannelModule {}
