#!/usr/bin/env perl
# Checksums: the digest of some fields' values, as they are sent, and the secret. checksum.pl RECIPE VALUE...
# The values are bytes: encode_utf8 them first if your program holds them as characters.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 sha256_hex sha512_hex);
use MIME::Base64 qw(encode_base64);

my %RECIPES = (    # what the values are, in this order
    'lookup'              => [ \&sha512_hex, 'name reference' ],
    'register'            => [ \&sha512_hex, 'name reference amount transaction' ],
    'confirm'             => [ \&sha512_hex, 'name transaction' ],
    'porder'              => [ \&sha512_hex, 'email country order money amount' ],
    'porder-query'        => [ \&sha512_hex, 'order merchant' ],
    'refund'              => [ \&sha512_hex, 'order merchant amount' ],
    'query'               => [ \&sha512_hex, 'reference currency netname timestamp_start' ],
    'answer'              => [ \&sha512_hex, 'order amount timestamp_end' ],
    'answer-with-limits'  => [ \&sha512_hex, 'order amount min max timestamp_end' ],
    'notification-sha256' => [ \&sha256_hex, 'po_id status' ],
    'notification-sha512' => [ \&sha512_hex, 'po_id status' ],
    'signature'           => [ undef, 'id timestamp method target body' ],
);

# The header Recaudo-Signature of a request; target is path and query as they are sent.
sub signature {
    my ($secret, $id, $timestamp, $method, $target, $body) = @_;
    return 'v1,' . encode_base64(hmac_sha256("$id.$timestamp.$method $target\n$body", $secret), '');
}

sub checksum {
    my ($recipe, $secret, @values) = @_;
    die "RECIPE VALUE...; the recipes are @{[ sort keys %RECIPES ]}\n" if !exists $RECIPES{ $recipe // '' };
    my ($digest, $names) = @{ $RECIPES{$recipe} };
    die "$recipe takes: $names\n" if @values != split / /, $names;
    return signature($secret, @values) if $recipe eq 'signature';
    my $word = $recipe eq 'refund' ? 'refund' : '';
    return $digest->(join '', $word, @values, $secret);
}

# Upper and lower case are the same; takes the same time wherever they differ.
sub fits {
    my ($received, $computed) = (lc $_[0], $_[1]);
    return 0 if length $received != length $computed;
    my $difference = 0;
    $difference |= ord(substr $received, $_, 1) ^ ord(substr $computed, $_, 1) for 0 .. length($computed) - 1;
    return $difference == 0;
}

sub main {
    my ($recipe, @values) = @_;
    die "RECAUDO_SECRET is not set\n" if !$ENV{RECAUDO_SECRET};
    print checksum($recipe, $ENV{RECAUDO_SECRET}, @values), "\n";
    return;
}

main(@ARGV) unless caller;
