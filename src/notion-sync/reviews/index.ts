export { ReviewRequestsModule } from './review-requests';
