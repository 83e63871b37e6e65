package main

// recipe: seal
import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/big"
	"regexp"
	"strings"
)

const mark = 0xA65959A600000008

var (
	errInvalid = errors.New("invalid sealed id")
	prefixed   = regexp.MustCompile(`\A[a-z]([a-z_]{0,61}[a-z])?_[0-9A-Za-z]{22}\z`)
	swapCase   = func(c rune) rune { // math/big has the small letters first
		if c >= 'A' {
			return c ^ 0x20
		}
		return c
	}
)

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

func block(key []byte, prefix string) cipher.Block { // 32 bytes of HKDF are its first block
	c, err := aes.NewCipher(mac(mac(make([]byte, 32), key), []byte("snowid sealed id 1\x00\x08"+prefix+"\x01")))
	if err != nil {
		panic(err)
	}
	return c
}

func Seal(id int64, prefix string, key []byte, number int64) (string, error) {
	if number < 0 || number > 6 {
		return "", errors.New("no number of a key")
	}
	var b [17]byte
	b[0] = byte(number)
	binary.BigEndian.PutUint64(b[1:], mark)
	binary.BigEndian.PutUint64(b[9:], uint64(id))
	block(key, prefix).Encrypt(b[1:], b[1:])
	digits := strings.Map(swapCase, new(big.Int).SetBytes(b[:]).Text(62))
	text := prefix + "_" + strings.Repeat("0", 22-len(digits)) + digits
	if !prefixed.MatchString(text) {
		return "", errors.New("no prefix")
	}
	return text, nil
}

func Unseal(text, prefix string, keys map[int64][]byte) (int64, error) { // keys by their numbers
	if !prefixed.MatchString(text) || text[:len(text)-23] != prefix {
		return 0, errInvalid
	}
	n, _ := new(big.Int).SetString(strings.Map(swapCase, text[len(text)-22:]), 62)
	var b [17]byte
	n.FillBytes(b[:])
	key, found := keys[int64(b[0])]
	if !found || b[0] > 6 {
		return 0, errInvalid
	}
	block(key, prefix).Decrypt(b[1:], b[1:])
	if binary.BigEndian.Uint64(b[1:]) != mark {
		return 0, errInvalid
	}
	return int64(binary.BigEndian.Uint64(b[9:])), nil
}
// end
