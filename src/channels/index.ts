export {
  type Channel,
  ChannelAdapter,
  type ChannelName,
  ChannelOffError,
  ChannelRegistry,
  type DeliveryPart,
  type FetchedMedia,
  type OutgoingPart,
  type SendOutcome,
} from './channel';
export { ChannelsModule } from './channels.module';
